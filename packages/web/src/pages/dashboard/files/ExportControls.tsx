// Exports the files that match the current filters.

import { useEffect, useRef, useState } from 'preact/compat';
import * as texts from '#texts/files';
import { Button } from '../../../ui/Button.js';
import { ErrorNotice } from '../../../ui/ErrorNotice.js';
import { announce } from '../../../ui/LiveRegion.js';
import { saveFile } from '../../../ui/saveFile.js';
import { useAction } from '../../../ui/useAction.js';
import { useAccount } from '../account.js';
import { type ExportFormat, exportFiles } from './exportFiles.js';
import type { FileFilters } from './fileFilters.js';

export function ExportControls({ filters }: { readonly filters: FileFilters }) {
  const { client } = useAccount();
  const [progress, setProgress] = useState(0);
  const [message, setMessage] = useState('');
  const controller = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => controller.current?.abort(), []);
  const { isBusy, error, run } = useAction(async (format: ExportFormat) => {
    controller.current = new AbortController();
    const { signal } = controller.current;
    setProgress(0);
    setMessage('');
    try {
      const options = { filters, format, origin: location.origin, signal, onProgress: setProgress };
      const { content, count } = await exportFiles(client, options);
      const filename = `files-${new Date().toISOString().slice(0, 10)}.${format}`;
      saveFile(content, filename);
      setMessage(texts.exported(count, filename));
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
      setMessage(texts.exportCanceled);
      announce(texts.exportCanceled);
    }
  });
  return (
    <>
      <div className="row file-export">
        {isBusy ? (
          <>
            <span role="status">{texts.exporting(progress)}</span>
            <Button kind="quiet" onClick={() => controller.current?.abort()}>
              {texts.cancel}
            </Button>
          </>
        ) : (
          <>
            <Button kind="quiet" onClick={() => run('csv')}>
              {texts.exportCsv}
            </Button>
            <Button kind="quiet" onClick={() => run('json')}>
              {texts.exportJson}
            </Button>
            <span className="quiet" role="status">
              {message}
            </span>
          </>
        )}
      </div>
      <ErrorNotice error={error} />
    </>
  );
}
