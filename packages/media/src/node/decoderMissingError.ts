/** The package that decodes a file is optional, and is not installed for this platform. */
export class DecoderMissingError extends Error {
  override readonly name = 'DecoderMissingError';

  constructor(packageName: string, cause: unknown) {
    super(`${packageName}, which decodes images, is not installed for this platform`, { cause });
  }
}
