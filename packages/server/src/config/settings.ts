// The table of settings: their names, defaults and meanings.

/** Every setting with its default and meaning, in the order of `--help`. */
export const settings = {
  PORT: ['8080', 'port of the HTTP server'],
  HOST: ['127.0.0.1', 'address the HTTP server listens on'],
  BASE_URL: ['http://HOST:PORT', 'public URL of the service, used in responses and on chain'],
  REGISTRY_NAME: ['Provenance registry', 'name of the registry, as clients and visitors see it'],
  CDN_URL: ['BASE_URL/cdn', 'public URL of published files'],
  TRUSTED_PROXIES: [
    'none',
    'addresses and CIDR ranges of reverse proxies whose X-Forwarded-For is believed, separated by commas',
  ],
  DATA_DIR: ['./data', 'folder of the embedded default: database, published files, keys, chain state'],
  DATABASE_URL: ['an embedded PostgreSQL in DATA_DIR', 'URL of a PostgreSQL server (version 15 or newer)'],
  DATABASE_READ_URL: [
    'none: DATABASE_URL is asked',
    'URL of a streaming replica of DATABASE_URL, which answers lookups of fingerprints that it has',
  ],
  STORAGE_URL: ['DATA_DIR/public', 's3://bucket/prefix of an S3-compatible store'],
  AWS_ENDPOINT_URL: ["Amazon's", 'URL of a store that is not Amazon S3'],
  AWS_REGION: ['us-east-1', 'region of the store'],
  AWS_ACCESS_KEY_ID: ['none', 'access key of the store'],
  AWS_SECRET_ACCESS_KEY: ['none', 'secret of the access key'],
  AWS_SESSION_TOKEN: ['none', 'token of temporary credentials of the store'],
  RPC_URL: ['a development chain in DATA_DIR', 'JSON-RPC URL of an EVM chain'],
  PUBLIC_RPC_URL: [
    'the development chain; none with RPC_URL',
    'JSON-RPC URL that clients are given; must contain no secret',
  ],
  EXPLORER_URL: ['none', 'address of an explorer of the chain, for links to transactions, blocks and the contract'],
  CHAIN_PORT: ['8545', 'port of the development chain'],
  REGISTRY_ADDRESS: ['development chain: deployed on first start', 'address of the registry contract'],
  CHAIN_PRIVATE_KEY: ['development chain: generated on first start', 'key that writes the curated registry'],
  CHAIN_CONFIRMATIONS: ['1', 'blocks until a transaction counts as confirmed'],
  CHAIN_ID: ['any, fixed by the first registration', 'id of the chain behind RPC_URL; another one is refused'],
  CHAIN_MAX_ATTEMPTS: ['10', 'refusals before a registration fails, but not before CHAIN_RETRY_SECONDS'],
  CHAIN_RETRY_SECONDS: ['86400', 'minimum time before a registration fails'],
  SIGNING_CERT_FILE: ['a development certificate, generated on first start', 'C2PA signing certificate chain (PEM)'],
  SIGNING_KEY_FILE: ['a development key, generated on first start', 'C2PA signing key (PEM)'],
  SIGNING_COMMAND: ['none', 'instead of a key file: a program that signs its standard input, for a KMS or HSM'],
  SIGNING_URL: ['none', 'instead of a key file: a service that signs what is posted to it'],
  SIGNING_ROOTS_FILE: [
    'the root in SIGNING_CERT_FILE, if it has one',
    'roots of the signing certificate and its predecessors, and cross-certificates (PEM); published to clients',
  ],
  IDENTITY_KEY_FILE: [
    'generated on first start in DATA_DIR',
    'Ed25519 key (PEM) that signs identities in manifests, then the keys before it',
  ],
  LOG_KEY_FILE: [
    'generated on first start in DATA_DIR',
    'Ed25519 key (PEM) that signs the public log, then the keys before it, which sign too; keep it out of backups of the database',
  ],
  LOG_WITNESSES: [
    'none',
    'policy file (c2sp.org/tlog-policy) with the witnesses of the public log, their addresses, and how many have to sign; set it in all processes',
  ],
  LOG_CONTRACT: [
    'development chain: deployed on first start; none with RPC_URL',
    'address of the contract that takes the anchors of the public log; set it in all processes',
  ],
  LOG_ANCHOR_SECONDS: ['60', 'time between two anchors of the public log, if it has grown'],
  TSA_URL: ['a built-in authority', 'RFC 3161 time-stamp authority'],
  TSA_FALLBACK_URL: ['none', 'a second authority, used when the first one fails'],
  TSA_ROOTS_FILE: ['none', 'roots of the time-stamp authorities, and cross-certificates (PEM); published to clients'],
  DOCUMENT_CERT_FILE: [
    'a development certificate, generated on first start',
    'RSA certificate chain (PEM) that signs PDF certificates; processes on several machines need the same one',
  ],
  DOCUMENT_KEY_FILE: ['a development key, generated on first start', 'RSA key (PEM) of DOCUMENT_CERT_FILE'],
  CLAIM_TRUST_FILE: [
    'none: no such time-stamp is trusted',
    'roots of the time-stamp authorities that count as evidence of claims, and revocation lists (PEM)',
  ],
  JWT_SECRET: [
    'generated on first start in DATA_DIR',
    'HS256 key of tokens issued by the service, 32 or more characters',
  ],
  PSEUDONYM_SECRET: [
    'generated on first start in DATA_DIR',
    'keys the pseudonyms of users under private Marks on chain, 32 or more characters',
  ],
  LINK_SECRET: [
    'JWT_SECRET if that is set; otherwise generated on first start in DATA_DIR',
    'keys the links in mails, 32 or more characters',
  ],
  SECOND_FACTOR_SECRET: [
    'PSEUDONYM_SECRET if that is set; otherwise generated on first start in DATA_DIR',
    'encrypts the secrets of second factors, 32 or more characters',
  ],
  WEBHOOK_SECRET: [
    'PSEUDONYM_SECRET if that is set; otherwise generated on first start in DATA_DIR',
    'the secrets of webhooks are computed from it, 32 or more characters',
  ],
  DOMAIN_SECRET: [
    'PSEUDONYM_SECRET if that is set; otherwise generated on first start in DATA_DIR',
    'the tokens in the DNS records of private Marks are computed from it, 32 or more characters',
  ],
  MAIL_STOP_SECRET: [
    'PSEUDONYM_SECRET if that is set; otherwise generated on first start in DATA_DIR',
    'keys the hashes of addresses that want no mail, 32 or more characters',
  ],
  AUTH_JWKS_URL: ['none', 'JWKS URL of an OpenID provider whose RS256, ES256 and EdDSA tokens are also accepted'],
  AUTH_ISSUER: ['none', 'required `iss` of those tokens'],
  AUTH_AUDIENCE: ['none', 'required `aud` of those tokens'],
  BILLING: [
    'self-serve if BASE_URL is a loopback address; otherwise required',
    '`self-serve`: users set their own tier; `operator`: only the operator does',
  ],
  SMTP_URL: [
    'none: no mail is sent',
    'mail server: `smtps://user:password@host:465`, or `smtp://user:password@host:587` (STARTTLS, required except on loopback addresses)',
  ],
  MAIL_FROM: ['none', 'sender of mails: an address, or `Name <address>`; required with SMTP_URL'],
  DOMAIN_DNS_SERVERS: [
    'those of the system',
    'DNS servers for domains of Marks and receivers of webhooks: IP addresses with an optional port, separated by commas',
  ],
  DOMAIN_LOOPBACK_PORT: [
    'none: loopback addresses are refused',
    'for development: domains may be on this machine, with their web server at this port',
  ],
  WEBHOOK_LOOPBACK: [
    'false: loopback addresses are refused',
    '`true`, for development: receivers of webhooks may be on this machine, at any port and without TLS',
  ],
  DOWNLOADS_SECONDS: ['3600', 'time between two versions of the signed downloads; 0: none are made'],
  EVENT_RETENTION_MONTHS: [
    '13',
    'how long events of Artifacts and claims are kept in the feed, from 2 months; those of accounts and organizations stay',
  ],
  OPERATOR_TOKEN: ['none: operator endpoints return 404', 'bearer token of the operator endpoints'],
  TIERS_FILE: ['the built-in table', 'JSON file that overrides parts of the tier table'],
  MAX_UPLOAD_BYTES: ['268435456', 'largest file in an upload'],
  DRAIN_SECONDS: [
    '0',
    'time from the signal to stop until the port is closed, at most 4: for load balancers, which see by `/readyz` that it stops',
  ],
  ROLE: ['all', '`api`, `worker` or `all`: which part of the service this process runs'],
  LOG_LEVEL: ['info', 'lowest level that is logged: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`'],
  LOG_READS_SAMPLE: ['1', 'part of successful reads that is logged, from 0 to 1'],
  OTEL_EXPORTER_OTLP_ENDPOINT: ['none: no traces', 'URL of an OpenTelemetry collector (OTLP over HTTP)'],
  OTEL_SERVICE_NAME: ['provenance-registry', 'name of the service in traces'],
  OTEL_TRACES_SAMPLER_ARG: ['1', 'part of requests that is traced, from 0 to 1'],
} as const satisfies Record<string, readonly [fallback: string, meaning: string]>;

export type SettingName = keyof typeof settings;

/** Each can also be read from the file that the setting with `_FILE` at its end names. */
export const secretSettings = [
  'DATABASE_URL',
  'DATABASE_READ_URL',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'RPC_URL',
  'CHAIN_PRIVATE_KEY',
  'JWT_SECRET',
  'PSEUDONYM_SECRET',
  'LINK_SECRET',
  'SECOND_FACTOR_SECRET',
  'WEBHOOK_SECRET',
  'DOMAIN_SECRET',
  'MAIL_STOP_SECRET',
  'SMTP_URL',
  'OPERATOR_TOKEN',
] as const satisfies readonly SettingName[];
