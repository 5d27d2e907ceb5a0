// Exports the files that match the current filters.

import { useEffect, useRef, useState } from 'preact/compat';
import * as texts from '#texts/artifacts/files';
import { ErrorNotice } from '../../../ui/feedback/ErrorNotice.js';
import { announce } from '../../../ui/feedback/LiveRegion.js';
import { saveFile } from '../../../ui/file/saveFile.js';
import { Button } from '../../../ui/form/Button.js';
import { useAction } from '../../../ui/form/useAction.js';
import * as basics from '../../../ui/layout/basics.module.css';
import { useAccount } from '../account.js';
import * as styles from './ExportControls.module.css';
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
      <div className={`${basics.row} ${styles.controls}`}>
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
            <span className={basics.quiet} role="status">
              {message}
            </span>
          </>
        )}
      </div>
      <ErrorNotice error={error} />
    </>
  );
}
