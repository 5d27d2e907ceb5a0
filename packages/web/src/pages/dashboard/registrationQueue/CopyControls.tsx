// The choices on the register page, the signed copy of one file, and the download of all.

import type { Mark } from '@provenance-registry/core';
import { isCodeRegistrationOn } from '../../../lookalikeSwitches.js';
import { useStore } from '../../../store.js';
import { Button } from '../../../ui/Button.js';
import { CheckboxField, SelectField } from '../../../ui/Field.js';
import { pluralize } from '../../../ui/format.js';
import { saveFile } from '../../../ui/saveFile.js';
import { COPY_FORMATS, copyName } from '../../../ui/signedCopies.js';
import { sourceTypeOptions } from '../../../ui/sourceTypes.js';
import { useAction } from '../../../ui/useAction.js';
import { createZip, takeFitting } from '../../../ui/zip.js';
import type { Queue, QueueSummary } from './queue.js';
import { canRequestCopy, type QueueRow } from './queueRow.js';

interface QueueOptionFieldsProps {
  readonly summary: QueueSummary;
  readonly queue: Queue;
  readonly mark: Mark;
}

/** Choices for all files that are not registered yet. */
export function QueueOptionFields({ summary, queue, mark }: QueueOptionFieldsProps) {
  const { options, isRunning } = summary;
  const sourceTypes = [{ id: '', name: 'Not specified' }, ...sourceTypeOptions];
  return (
    <>
      <CheckboxField
        label="I made these files or may speak for their maker"
        hint="Your own statement, recorded with each file and shown to everyone. Without it, everyone sees that you did not state this. It cannot be changed later."
        checked={options.authorshipStated}
        disabled={isRunning}
        onChange={(authorshipStated) => queue.setOptions({ authorshipStated })}
      />
      <SelectField
        label="How the files were made"
        hint="Your own statement, which the signed manifest contains and which cannot be changed later."
        options={sourceTypes}
        value={options.digitalSourceType ?? ''}
        disabled={isRunning}
        onSelect={(selected) =>
          queue.setOptions({ digitalSourceType: sourceTypeOptions.find(({ id }) => id === selected)?.id })
        }
      />
      <CheckboxField
        label="Also give me signed copies"
        hint={
          <>
            A signed copy has the manifest inside the file. To make it, the file is sent to this service, which
            processes it in memory and does not store it. Possible for {COPY_FORMATS}; all other files are registered by
            their fingerprint and not sent. Each file can have at most three signed copies.
          </>
        }
        checked={options.wantsCopy}
        disabled={isRunning}
        onChange={(wantsCopy) => queue.setOptions({ wantsCopy })}
      />
      <CodesField mark={mark} isRunning={isRunning} />
    </>
  );
}

function CodesField({ mark: { visibility }, isRunning }: { readonly mark: Mark; readonly isRunning: boolean }) {
  const isOn = useStore(isCodeRegistrationOn);
  const isPrivate = visibility === 'private';
  return (
    <CheckboxField
      label="Help find look-alikes of pictures and recordings"
      hint={
        isPrivate
          ? 'Not for private Marks: nothing about what their files look like is sent.'
          : 'Your browser computes four codes of 8 bytes of each picture, or the Chromaprint of a recording, and sends them with the fingerprint. They are recorded publicly as your word, others find your file by its copies, and you see here what looks like older files of others. Remembered in this browser.'
      }
      checked={isOn && !isPrivate}
      disabled={isRunning || isPrivate}
      onChange={isCodeRegistrationOn.set}
    />
  );
}

/** The signed copy of one file. */
export function RowCopy({ row, queue }: { readonly row: QueueRow; readonly queue: Queue }) {
  const { id, filename, copy, copyNote } = row;
  const { run: download } = useAction(() => downloadCopy(row, queue));
  const canRequest = canRequestCopy(row);
  if (copy === undefined && copyNote === undefined && !canRequest) return null;
  return (
    <span className="queue-copy">
      {copyNote !== undefined && <span className="tone-warn queue-note">{copyNote}</span>}
      {copy === 'creating' && <span className="quiet">Signing a copy …</span>}
      {copy === 'needsFile' && (
        <span className="tone-warn queue-note">Drop or choose this file again to get a signed copy.</span>
      )}
      {(copy === 'ready' || copy === 'downloaded') && (
        <Button kind="quiet" aria-label={`Download signed copy of ${filename}`} onClick={() => download()}>
          {copy === 'ready' ? 'Download signed copy' : 'Download signed copy again'}
        </Button>
      )}
      {canRequest && (
        <>
          <Button kind="quiet" aria-label={`Get a signed copy of ${filename}`} onClick={() => queue.requestCopy(id)}>
            Get a signed copy
          </Button>
          <span className="quiet">sends the file</span>
        </>
      )}
    </span>
  );
}

/** Downloads all copies that were not downloaded yet: several in one archive, because browsers block many downloads. */
export function DownloadCopies({ rows, queue }: { readonly rows: readonly QueueRow[]; readonly queue: Queue }) {
  const ready = rows.filter(({ copy }) => copy === 'ready');
  const { isBusy, run } = useAction(async () => {
    const [first, ...others] = ready;
    if (first && others.length === 0) await downloadCopy(first, queue);
    else await downloadArchive(ready, queue);
  });
  if (ready.length === 0) return null;
  const label = ready.length === 1 ? 'Download signed copy' : `Download ${ready.length} signed copies`;
  return (
    <Button isBusy={isBusy} onClick={() => run()}>
      {isBusy ? `Packing ${pluralize(ready.length, 'file')} …` : label}
    </Button>
  );
}

async function downloadCopy({ id, filename }: QueueRow, queue: Queue): Promise<void> {
  const content = await queue.readCopy(id);
  if (!content) return;
  saveFile(content, copyName(filename));
  queue.markCopyDownloaded(id);
}

/** Not necessarily all: what does not fit stays ready for the next archive. */
async function downloadArchive(rows: readonly QueueRow[], queue: Queue): Promise<void> {
  const found = await Promise.all(
    rows.map(async ({ id, folder, filename }) => {
      const content = await queue.readCopy(id);
      const name = copyName(filename).replaceAll(/[/\\:]/g, '_');
      return content ? [{ id, path: folder === '' ? name : `${folder}/${name}`, content }] : [];
    }),
  );
  const entries = takeFitting(found.flat());
  saveFile(await createZip(entries, new Date()), 'signed-copies.zip');
  for (const { id } of entries) queue.markCopyDownloaded(id);
}
