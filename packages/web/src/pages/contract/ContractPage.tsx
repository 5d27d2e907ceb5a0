// What the contract of this registry is, for people; programs read the JSON that it links to.

import { useCallback } from 'preact/compat';
import * as texts from '#texts/site/chain';
import { useRegistryClient } from '../../registryClient.js';
import { useTitle } from '../../routing.js';
import { ExplorerLink, useRegistryIdentity } from '../../ui/artifact/explorer.js';
import { Fact } from '../../ui/facts/Fact.js';
import * as factStyles from '../../ui/facts/Fact.module.css';
import { QueryView, useQuery } from '../../ui/feedback/query.js';
import * as basics from '../../ui/layout/basics.module.css';
import { Card } from '../../ui/layout/Card.js';
import { PrintedFrom } from '../../ui/layout/PrintedFrom.js';
import { CopyableCode } from '../../ui/text/CopyableCode.js';
import { CopyButton } from '../../ui/text/CopyButton.js';
import * as styles from './ContractPage.module.css';

interface Contract {
  readonly address: string;
  readonly abi: readonly object[];
  readonly chainId?: number;
  readonly rpcUrl?: string;
}

export function ContractPage() {
  useTitle(texts.title);
  const client = useRegistryClient();
  const load = useCallback((signal: AbortSignal) => client.getContract({ signal }), [client]);
  const query = useQuery<Contract>(load);
  return (
    <div className={basics.stack}>
      <header>
        <h1>{texts.title}</h1>
        <p className={basics.lead}>{texts.lead}</p>
        <PrintedFrom />
      </header>
      <QueryView query={query} what={texts.contract}>
        {(contract) => (
          <>
            <Identity contract={contract} />
            <Card title={texts.whatTitle}>
              <ul>
                {texts.what.map((line) => (
                  <li key={line}>{line}</li>
                ))}
              </ul>
            </Card>
            <Card title={texts.rolesTitle}>
              <dl className={factStyles.facts}>
                {texts.roles.map(([name, text]) => (
                  <Fact key={name} name={name}>
                    {text}
                  </Fact>
                ))}
              </dl>
            </Card>
            <Reading contract={contract} />
            <Functions abi={contract.abi} />
          </>
        )}
      </QueryView>
    </div>
  );
}

function Identity({ contract: { address, abi, chainId, rpcUrl } }: { readonly contract: Contract }) {
  const identity = useRegistryIdentity();
  return (
    <Card title={texts.identity}>
      <dl className={factStyles.facts}>
        <Fact name={texts.address}>
          <CopyableCode text={address} what={texts.copyAddress}>
            <ExplorerLink identity={identity} path={`address/${address}`} />
          </CopyableCode>
        </Fact>
        <Fact name={texts.chain}>{chainId === undefined ? texts.chainUnknown : texts.chainName(chainId)}</Fact>
        <Fact name={texts.node}>
          {rpcUrl === undefined ? texts.noNode : <CopyableCode text={rpcUrl} what={texts.copyNode} />}
        </Fact>
        <Fact name={texts.source}>
          <span className={basics.row}>
            <a href="/c2pa/contract">{texts.rawJson}</a>
            <CopyButton text={JSON.stringify(abi)} what={texts.copyAbi} />
          </span>
        </Fact>
      </dl>
      <p className={`${basics.quiet} ${styles.note}`}>{texts.compare}</p>
    </Card>
  );
}

const RESOLVE = 'resolveByBindingDetailed';

function Reading({ contract: { address, abi, rpcUrl } }: { readonly contract: Contract }) {
  const outputs = findOutputs(abi);
  const node = rpcUrl ?? 'https://node.example';
  const cast = `cast call --rpc-url ${node} ${address} \\\n  "${RESOLVE}(bytes32)${outputs}" "0x$(sha256sum < photo.jpg | cut -c1-64)"`;
  const ours = `provenance verify --rpc-url ${node} --contract ${address} photo.jpg`;
  return (
    <Card title={texts.readTitle}>
      <p>{texts.readText(<code>{RESOLVE}</code>)}</p>
      <Command label={texts.withCast} text={cast} />
      <Command label={texts.withOurs} text={ours} />
    </Card>
  );
}

/** Returns the output types, without which cast prints the result undecoded. */
function findOutputs(abi: readonly object[]): string {
  const found = abi.find((entry) => readName(entry) === RESOLVE);
  const outputs: unknown = found && 'outputs' in found ? found.outputs : undefined;
  const types = Array.isArray(outputs) ? outputs.map(readType) : [];
  return types.length > 0 && types.every((type) => type !== '') ? `(${types.join(',')})` : '';
}

function Command({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div className={styles.command}>
      <p>{label}</p>
      <pre>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} what={texts.copyCommand} />
    </div>
  );
}

function Functions({ abi }: { readonly abi: readonly object[] }) {
  const entries = abi.flatMap((entry) => {
    const kind = describeKind(entry);
    return kind === undefined ? [] : [{ name: readName(entry), signature: writeSignature(entry), kind }];
  });
  return (
    <Card title={texts.functionsTitle}>
      <details>
        <summary>{texts.functionCount(entries.length)}</summary>
        <ul className={styles.functions}>
          {entries.map(({ signature, kind }) => (
            <li key={`${kind} ${signature}`}>
              <code>{signature}</code> <span className={basics.quiet}>{kind}</span>
            </li>
          ))}
        </ul>
      </details>
    </Card>
  );
}

/** Undefined for errors and the constructor, which cannot be called. */
function describeKind(entry: object): string | undefined {
  const type = 'type' in entry ? entry.type : undefined;
  if (type === 'event') return texts.event;
  if (type !== 'function') return undefined;
  const mutability = 'stateMutability' in entry ? entry.stateMutability : undefined;
  return mutability === 'view' || mutability === 'pure' ? texts.readOnly : texts.writes;
}

function writeSignature(entry: object): string {
  const inputs: unknown = 'inputs' in entry ? entry.inputs : undefined;
  return `${readName(entry)}(${Array.isArray(inputs) ? inputs.map(readType).join(', ') : ''})`;
}

function readName(entry: object): string {
  return 'name' in entry && typeof entry.name === 'string' ? entry.name : '';
}

/** The type as in a signature: of a structure, the types of its parts. */
function readType(parameter: unknown): string {
  if (typeof parameter !== 'object' || parameter === null) return '';
  const type = 'type' in parameter && typeof parameter.type === 'string' ? parameter.type : '';
  const parts = 'components' in parameter && Array.isArray(parameter.components) ? parameter.components : undefined;
  return parts ? type.replace(/^tuple/, `(${parts.map(readType).join(',')})`) : type;
}
