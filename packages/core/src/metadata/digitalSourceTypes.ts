// How a file came to be: the terms of the IPTC digital source type vocabulary, and those that C2PA adds to them.

const iptcTerms = [
  'digitalCapture',
  'computationalCapture',
  'negativeFilm',
  'positiveFilm',
  'print',
  'humanEdits',
  'minorHumanEdits',
  'compositeCapture',
  'algorithmicallyEnhanced',
  'softwareImage',
  'digitalArt',
  'digitalCreation',
  'dataDrivenMedia',
  'trainedAlgorithmicMedia',
  'algorithmicMedia',
  'screenCapture',
  'virtualRecording',
  'composite',
  'compositeSynthetic',
  'compositeWithTrainedAlgorithmicMedia',
] as const;

const c2paTerms = ['empty', 'trainedAlgorithmicData'] as const;

/** Terms by their short names. Those that IPTC has retired are among them: files that were described with them exist. */
export const digitalSourceTypes = [...iptcTerms, ...c2paTerms] as const;
export type DigitalSourceType = (typeof digitalSourceTypes)[number];

/** The URI that manifests contain. */
export function digitalSourceTypeUri(term: DigitalSourceType): string {
  const isFromC2pa = c2paTerms.some((name) => name === term);
  return isFromC2pa
    ? `http://c2pa.org/digitalsourcetype/${term}`
    : `http://cv.iptc.org/newscodes/digitalsourcetype/${term}`;
}
