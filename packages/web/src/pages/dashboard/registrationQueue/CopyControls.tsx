// The choices on the register page, the signed copy of one file, and the download of all.

import type { Mark } from '@provenance-registry/core';
import * as texts from '#texts/artifacts/register';
import { isCodeRegistrationOn } from '../../../lookalikeSwitches.js';
import { useStore } from '../../../store.js';
import { COPY_FORMATS, copyName } from '../../../ui/artifact/signedCopies.js';
import { sourceTypeOptions } from '../../../ui/artifact/sourceTypes.js';
import { saveFile } from '../../../ui/file/saveFile.js';
import { createZip, takeFitting } from '../../../ui/file/zip.js';
import { Button } from '../../../ui/form/Button.js';
import { CheckboxField, SelectField } from '../../../ui/form/Field.js';
import { useAction } from '../../../ui/form/useAction.js';
import * as basics from '../../../ui/layout/basics.module.css';
import * as queueItemStyles from './QueueItem.module.css';
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
  const sourceTypes = [{ id: '', name: texts.notSpecified }, ...sourceTypeOptions];
  return (
    <>
      <CheckboxField
        label={texts.authorshipLabel}
        hint={texts.authorshipHint}
        checked={options.authorshipStated}
        disabled={isRunning}
        onChange={(authorshipStated) => queue.setOptions({ authorshipStated })}
      />
      <SelectField
        label={texts.sourceLabel}
        hint={texts.sourceHint}
        options={sourceTypes}
        value={options.digitalSourceType ?? ''}
        disabled={isRunning}
        onSelect={(selected) =>
          queue.setOptions({ digitalSourceType: sourceTypeOptions.find(({ id }) => id === selected)?.id })
        }
      />
      <CheckboxField
        label={texts.copiesLabel}
        hint={texts.copiesHint(COPY_FORMATS)}
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
      label={texts.codesLabel}
      hint={isPrivate ? texts.codesPrivate : texts.codesHint}
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
    <span className={`${basics.row} ${queueItemStyles.copy}`}>
      {copyNote !== undefined && (
        <span className={queueItemStyles.note} data-tone="warn">
          {copyNote}
        </span>
      )}
      {copy === 'creating' && <span className={basics.quiet}>{texts.signing}</span>}
      {copy === 'needsFile' && (
        <span className={queueItemStyles.note} data-tone="warn">
          {texts.chooseForCopy}
        </span>
      )}
      {(copy === 'ready' || copy === 'downloaded') && (
        <Button kind="quiet" aria-label={texts.downloadCopyOf(filename)} onClick={() => download()}>
          {copy === 'ready' ? texts.downloadCopy : texts.downloadCopyAgain}
        </Button>
      )}
      {canRequest && (
        <>
          <Button kind="quiet" aria-label={texts.getCopyOf(filename)} onClick={() => queue.requestCopy(id)}>
            {texts.getCopy}
          </Button>
          <span className={basics.quiet}>{texts.sendsFile}</span>
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
  return (
    <Button isBusy={isBusy} onClick={() => run()}>
      {isBusy ? texts.packing(ready.length) : texts.downloadCopies(ready.length)}
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
