// Boxes of MP4 files.

/** Numbers have 32 bits. */
export function mp4Box(type: string, ...contents: (number | Uint8Array)[]): Buffer {
  const parts = contents.map((content) => {
    if (typeof content !== 'number') return content;
    const number = Buffer.alloc(4);
    number.writeUInt32BE(content);
    return number;
  });
  const content = Buffer.concat(parts);
  const header = Buffer.alloc(8);
  header.writeUInt32BE(content.length + 8);
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, content]);
}

/** More than FFmpeg keeps of a pipe, so that it cannot go back from the index to the data. */
const GAP_BYTES = 500_000;

/** Of a file with the index (`moov`, with one `stco` table) in front of the data. */
export function moveIndexToEnd(bytes: Uint8Array, gapBytes = GAP_BYTES): Buffer {
  const file = Buffer.from(bytes);
  const start = file.indexOf('moov') - 4;
  const end = start + file.readUInt32BE(start);
  const index = Buffer.from(file.subarray(start, end));
  const table = index.indexOf('stco') + 8;
  const count = index.readUInt32BE(table);
  for (let at = table + 4; at < table + 4 + count * 4; at += 4) {
    index.writeUInt32BE(index.readUInt32BE(at) - index.length, at);
  }
  const gap = mp4Box('free', Buffer.alloc(gapBytes));
  return Buffer.concat([file.subarray(0, start), file.subarray(end), gap, index]);
}
