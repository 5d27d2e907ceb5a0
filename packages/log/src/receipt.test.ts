import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from './encoding.js';
import { LogFormatError, LogProofError } from './errors.js';
import { parseLeaf } from './leaves/leaf.js';
import { formatPolicy, parsePolicy } from './notes/policy.js';
import { formatReceipt, parseReceipt, verifyReceipt } from './receipt.js';

// A receipt that x/mod, transparency-dev/formats and Tessera accepted. The seeds of its keys are the SHA-256 of "lab log key"
// and "lab witness key".
const policy = parsePolicy(
  formatPolicy(
    ['registry.example/log+92940712+AS8hCaL4nFuwLFYf1R0m93lMwe1ctXz7Tvgx3X/lchMX'],
    ['witness.example/w1+b7ca19fe+BCk0ypSnkfID73RCwbtw1vTZbpRfImqHwhNn+5t4pM5j'],
  ),
);
const entry = encodeUtf8(`provenance-leaf/1 artifact
{"ai":[1,1,2,2],"fingerprint":"0x45025d51902415eee98d6a946703a310b335f7b34bb19cf5c9f69de8eedc0104","id":"d8fb3b5f-55a1-4852-8b59-2c20fc9140d1","license":"CC-BY-4.0","manifest":"0x1ed1b4fa35fae53257aea44741151f2591bb3a7580b1c2ade16bcc46b286dd9c","mark":"a14085f5-6c7c-462f-89c6-ae168dcd55ca","metadata":"0xc6e1858ffa65ba0c96c0552fff3b48c04f5ce58737e4679a240fc619047273da","time":"2026-11-17T12:00:00.035Z"}`);
const receipt = `c2sp.org/tlog-proof@v1
index 5
n8EYJ4JMOFOGtMztbLfkfX2MahpnfVgPiIqQAHUh2EY=
3XtaeKcO85ATBOrcaxDdK9PrQEaDZv+B1dacTllJrwE=
P/Mje2SbmH1r9VeP7rdAw5nnUuo5VnkelbVDCDxHXBs=

registry.example/log
7
mc4+Pl4+MQKv8BoomHggZB8QFNMvmGQhFFoAv2p9k7k=

— registry.example/log kpQHEnAaqSYAM4/WZE3AnZxnXo4yIMUE2gWwVmecPyxXwlJkNmUejb2pxEo95Hr5MKpCFxFfLtDj74l86K38AniG6QE=
— witness.example/w1 t8oZ/gAAAABq/EHAUBS4Odwe9t+7AGx6R/QqbPrp1lnE2erk3eAPF3FNNQgG/LDZUfXp1tlOl5LIcWcj5yzOv9jvnxdWO+BX5L61Bg==
`;
const change = (from: string, to: string) => receipt.replace(from, to);

describe('a receipt', () => {
  it('proves that its entry is in the log', async () => {
    const { index, checkpoint } = await verifyReceipt(receipt, entry, policy);
    expect({ index, size: checkpoint.size, origin: checkpoint.origin, cosignatures: checkpoint.cosignatures }).toEqual({
      index: 5,
      size: 7,
      origin: 'registry.example/log',
      cosignatures: [{ name: 'witness.example/w1', time: 1_794_916_800 }],
    });
    expect(parseLeaf(entry)?.kind).toBe('artifact');
    expect(formatReceipt(parseReceipt(receipt))).toBe(receipt);
  });

  it('may carry data of an application, which nothing signs and which do not count', async () => {
    const withExtra = change('index 5', 'extra AAEC\nindex 5');
    expect(parseReceipt(withExtra).extra).toEqual(Uint8Array.of(0, 1, 2));
    expect(formatReceipt(parseReceipt(withExtra))).toBe(withExtra);
    await expect(verifyReceipt(withExtra, entry, policy)).rejects.toThrow(LogProofError);
  });

  it.each([
    ['another first line', change('@v1', '@v2')],
    ['a space after its first line', change('@v1', '@v1 ')],
    ['no index', change('index 5\n', '')],
    ['two indexes', change('index 5\n', 'index 5\nindex 5\n')],
    ['a leading zero', change('index 5', 'index 05')],
    ['a negative index', change('index 5', 'index -5')],
    ['two spaces', change('index 5', 'index  5')],
    ['extra data after the index', change('index 5\n', 'index 5\nextra AAEC\n')],
    ['extra data twice', change('index 5\n', 'extra AAEC\nextra AAEC\nindex 5\n')],
    ['extra data that are not base64', change('index 5\n', 'extra A\nindex 5\n')],
    ['an empty line after the index', change('index 5\n', 'index 5\n\n')],
    ['no empty line before the checkpoint', change('HXBs=\n', 'HXBs=')],
    ['a hash that is too short', change('HXBs=\n', 'HA==\n')],
    ['unused bits in a hash', change('HXBs=', 'HXBt=')],
    ['carriage returns', receipt.replaceAll('\n', '\r\n')],
    ['a byte order mark', `\ufeff${receipt}`],
    ['more hashes than any tree has', change('index 5\n', `index 5\n${`${'A'.repeat(43)}=\n`.repeat(61)}`)],
    ['nothing after its first line', 'c2sp.org/tlog-proof@v1\n'],
    ['nothing', ''],
    ['more text than a reader takes', receipt + 'x'.repeat(200_000)],
  ])('is refused with %s', async (_, text) => {
    await expect(verifyReceipt(text, entry, policy)).rejects.toThrow(LogFormatError);
  });

  it.each([
    ['another entry', receipt, encodeUtf8('provenance-leaf/1 artifact\n{}')],
    ['another index', change('index 5', 'index 4'), entry],
    ['a hash left out', change('3XtaeKcO85ATBOrcaxDdK9PrQEaDZv+B1dacTllJrwE=\n', ''), entry],
    ['another size', change('\n7\n', '\n8\n'), entry],
    ['another root', change('mc4+', 'mc5+'), entry],
    ['another time of a cosignature', change('AAAABq/EHA', 'AAAABq/EHB'), entry],
    ['a cosignature left out', receipt.slice(0, receipt.indexOf('— witness')), entry],
    ['an extension line', change('9k7k=\n', '9k7k=\nextension\n'), entry],
  ])('does not hold with %s', async (_, text, content) => {
    expect([text === receipt, content === entry]).not.toEqual([true, true]);
    await expect(verifyReceipt(text, content, policy)).rejects.toThrow(LogProofError);
  });
});
