// What the examples of the help print, by the example.

/** Expected output of examples that no other test checks. */
export const exampleOutputs: Readonly<Record<string, RegExp>> = {
  'provenance hash --csv photos > fingerprints.csv': /^$/,
  'provenance file lookalikes --csv copies > lookalikes.csv': /^$/,
  'provenance verify --rpc-url "$NODE" --contract "$CONTRACT" --csv photos > report.csv 2> log.txt': /^$/,
  'provenance login --with-token --profile build < key.txt': /^Logged in as Grace \(profile build\)\.$/m,
  'provenance account show': /^Email +grace@example\.com \(verified\)$[\s\S]*^Token from +PROVENANCE_TOKEN$/m,
  'provenance mark list':
    /^ID +NAME +IDENTITY +SINCE +ARTIFACTS +OWNER +LICENSE +VISIBILITY\n[-0-9a-f]{36} {2}Examples {2}No verified identity {2}[-\d]{10} +\d+ +Grace +NONE_SPECIFIED {2}public$/m,
  'provenance mark show "$MARK_ID"':
    /^Name +Examples\nIdentity +No verified identity\nArtifacts +\d+$[\s\S]*^AI training +\w+$/m,
  'provenance mark create "Ada Lovelace" --license CC-BY-4.0': /^License +Creative Commons Attribution 4\.0/m,
  'provenance mark create Drafts --visibility private --org "$ORGANIZATION_ID"':
    /^Owner +Examples$[\s\S]*^Visibility +private$/m,
  'provenance mark update "$MARK_ID" --name "Ada, Countess" --license MIT':
    /^Name +Ada, Countess$[\s\S]*^License +MIT License$/m,
  'provenance file list --name photo': /^0x[0-9a-f]{64} {2}submitted {2}\S+Z {2}.* {2}photo\.jpg$/m,
  'provenance file list --sort name --all': /^0x[0-9a-f]{64} {2}submitted {2}\S+Z {2}.* {2}photo\.jpg$/m,
  'provenance file list --from 2026-01-01 --status failed --all': /^$/,
  'provenance mark artifacts "$MARK_ID"': /^0x[0-9a-f]{64} {2}submitted {2}\S+Z {2}photo\.jpg$/m,
  'provenance mark artifacts "$MARK_ID" --status failed --all': /^$/,
  'provenance mark gallery lovelace':
    /^[-0-9a-f]{36} {2}Ada Lovelace {2}No verified identity {2}.* {2}Grace {2}CC-BY-4\.0 {2}public$/m,
  'provenance org key list --org "$ORGANIZATION_ID"': /^[-0-9a-f]{36} {2}one +svc_\w{8}…\w{4} /m,
  'provenance org key create "build server" --org "$ORGANIZATION_ID" > key.txt': /^$/,
  'provenance org key create ci --org "$ORGANIZATION_ID" --scope register --expires 90d > key.txt': /^$/,
  'provenance org list': /^[-0-9a-f]{36} {2}Examples +owner +enterprise +active +1 of 1$/m,
  'provenance org overview "$ORGANIZATION_ID"': /^Artifacts +\d+\nToday \(UTC\) +\d+$[\s\S]*^Open claims +0$/m,
  'provenance org units "$ORGANIZATION_ID" 20': /^Usage units +1 of 21 in use$/m,
  'provenance invitation create "$ORGANIZATION_ID" --admin > link.txt': /^$/,
  'provenance org events "$ORGANIZATION_ID" --limit 200': /^\S+Z +key\.created +Grace +/m,
  'provenance account totp confirm --totp-code "$CODE" > recovery-codes.txt': /^$/,
  'provenance org member list "$ORGANIZATION_ID"': /^[-0-9a-f]{36} {2}Grace {2}owner {2}\S+Z$/m,
  'provenance account limits': /^Tier: enterprise\. [\s\S]*^Artifacts today +\d+ +unlimited$/m,
  'provenance config trust add "$REGISTRY_URL" --expect "$REGISTRY_FINGERPRINT"':
    /^Pinned Provenance registry at http:/m,
  'provenance config trust list': /^http:\S+ {2}Provenance registry {2}31337 {2}([0-9a-f]{4} ){6} \S+ {2}compared$/m,
  'provenance file mcp photos': /^$/,
  'provenance file mcp photos --allow-register --mark "$MARK_ID"': /^$/,
  'provenance file visibility photo.jpg private --yes': /are now private\.$/m,
  'eval "$(provenance completion bash)"': /^$/,
  'provenance completion fish > provenance.fish': /^$/,
};
