// The place of a signature in a PDF file: reserved while the file is written, and filled in when its digest is signed.

import { createHash } from 'node:crypto';

/** Two or three certificates, and a time-stamp token with its own: some eight kilobytes. */
const MAX_SIGNATURE_BYTES = 24_576;

const PLACEHOLDER = 9_999_999_999;
const byteRangeForm = `/ByteRange [0 ${PLACEHOLDER} ${PLACEHOLDER} ${PLACEHOLDER}]`;
const emptyContents = `<${'00'.repeat(MAX_SIGNATURE_BYTES)}>`;

export interface SignatureNames {
  readonly signer: string;
  readonly reason: string;
  readonly time: Date;
}

/** Adds an invisible signature field to the current page, which must be the last one that is written. */
export function reserveSignature(document: PDFKit.PDFDocument, { signer, reason, time }: SignatureNames): void {
  const signature = document.ref({
    Type: 'Sig',
    Filter: 'Adobe.PPKLite',
    SubFilter: 'ETSI.CAdES.detached',
    ByteRange: [0, PLACEHOLDER, PLACEHOLDER, PLACEHOLDER],
    Contents: Buffer.alloc(MAX_SIGNATURE_BYTES),
    Name: textString(signer),
    Reason: textString(reason),
    M: time,
  });
  const field = document.ref({
    Type: 'Annot',
    Subtype: 'Widget',
    FT: 'Sig',
    T: textString('Signature'),
    V: signature,
    // Invisible, printed and locked.
    Rect: [0, 0, 0, 0],
    F: 132,
    P: document.page.dictionary,
  });
  document.page.annotations.push(field);
  const form = openForm(document);
  form['Fields'] = [field];
  // There are signatures, and changes must only be appended.
  form['SigFlags'] = 3;
  // A viewer that redrew the fields would change the file.
  delete form['NeedAppearances'];
  for (const reference of [signature, field]) reference.end(undefined);
}

/** @param sign takes the SHA-256 of the file without the signature's place, and returns the signature */
export async function fillSignature(
  unsigned: Buffer,
  sign: (digest: Uint8Array) => Promise<Uint8Array>,
): Promise<Uint8Array<ArrayBuffer>> {
  const file = Uint8Array.from(unsigned);
  const start = findOnce(unsigned, emptyContents);
  const end = start + emptyContents.length;
  const range = `/ByteRange [0 ${start} ${end} ${file.length - end}]`;
  file.set(Buffer.from(range.padEnd(byteRangeForm.length)), findOnce(unsigned, byteRangeForm));
  const digest = createHash('sha256').update(file.subarray(0, start)).update(file.subarray(end)).digest();
  const signature = await sign(digest);
  if (signature.length > MAX_SIGNATURE_BYTES) throw new Error('the signature does not fit into its place');
  file.set(Buffer.from(`<${Buffer.from(signature).toString('hex')}`), start);
  return file;
}

function findOnce(file: Buffer, text: string): number {
  const position = file.indexOf(text);
  if (position < 0 || file.indexOf(text, position + 1) >= 0) throw new Error('the file has no place for a signature');
  return position;
}

/** The form's dictionary, which the library writes at the end. Its types do not show the catalog. */
function openForm(document: PDFKit.PDFDocument): Record<string, unknown> {
  let found: unknown = document.initForm();
  for (const name of ['_root', 'data', 'AcroForm', 'data']) {
    found = typeof found === 'object' && found !== null ? Reflect.get(found, name) : undefined;
  }
  if (!isDictionary(found)) throw new Error('the PDF library has no form');
  return found;
}

function isDictionary(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** The library writes strings as names unless they are objects. */
function textString(text: string): object {
  return Object(text);
}
