// Media types by file extension: the service never sees the bytes of a registered file.

/** Extensions that are also the names of their types. */
const sameNames: Readonly<Record<string, string>> = {
  image: 'avif bmp gif heic heif jpeg jxl png tiff webp',
  audio: 'aac aiff flac ogg wav',
  video: 'mp4 mpeg webm',
  text: 'csv html',
  application: 'json pdf rtf xml',
};

const byExtension: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(sameNames).flatMap(([kind, names]) => names.split(' ').map((name) => [name, `${kind}/${name}`])),
  ),
  cr2: 'image/x-canon-cr2',
  dng: 'image/x-adobe-dng',
  jpg: 'image/jpeg',
  nef: 'image/x-nikon-nef',
  psd: 'image/vnd.adobe.photoshop',
  svg: 'image/svg+xml',
  tif: 'image/tiff',
  aif: 'audio/aiff',
  m4a: 'audio/mp4',
  mid: 'audio/midi',
  mp3: 'audio/mpeg',
  oga: 'audio/ogg',
  opus: 'audio/ogg',
  avi: 'video/x-msvideo',
  m4v: 'video/mp4',
  mkv: 'video/matroska',
  mov: 'video/quicktime',
  mpg: 'video/mpeg',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  epub: 'application/epub+zip',
  htm: 'text/html',
  md: 'text/markdown',
  odp: 'application/vnd.oasis.opendocument.presentation',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  odt: 'application/vnd.oasis.opendocument.text',
  ppt: 'application/vnd.ms-powerpoint',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  txt: 'text/plain',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

export function guessMediaType(filename: string): string | undefined {
  const [, extension = ''] = /.\.(\w+)$/.exec(filename.toLowerCase()) ?? [];
  return Object.hasOwn(byExtension, extension) ? byExtension[extension] : undefined;
}
