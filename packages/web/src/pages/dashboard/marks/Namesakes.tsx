// A warning while the name of a Mark is typed: public Marks with a similar name.

import type { GalleryMark } from '@provenance-registry/core';
import { useEffect, useState } from 'preact/compat';
import * as texts from '#texts/marks/marks';
import { Notice } from '../../../ui/feedback/Notice.js';
import * as basics from '../../../ui/layout/basics.module.css';
import * as markIdentityStyles from '../../../ui/mark/MarkIdentity.module.css';
import { MarkIdentityLine } from '../../../ui/mark/MarkIdentityLine.js';
import { validateName } from '../../../validators.js';
import { useAccount } from '../account.js';
import * as styles from './Namesakes.module.css';

/** Longer than the pause between two keystrokes. */
const TYPING_PAUSE_MS = 300;

interface NamesakesProps {
  readonly name: string;
  /** The Mark that is edited. */
  readonly ownId: string | undefined;
}

/** A name is never refused because of another Mark: visitors are shown what tells them apart. */
export function Namesakes({ name, ownId }: NamesakesProps) {
  const marks = useNamesakes(name).filter(({ id }) => id !== ownId);
  return (
    <div role="status" className={styles.namesakes}>
      {marks.length > 0 && (
        <Notice tone="warn" title={texts.namesakesTitle}>
          <ul className={`${basics.list} ${markIdentityStyles.list}`}>
            {marks.map((mark) => (
              <li key={mark.id}>
                <a href={`/marks/${mark.id}`} target="_blank" rel="noreferrer">
                  <bdi>{mark.name}</bdi>
                </a>
                <MarkIdentityLine mark={mark} />
              </li>
            ))}
          </ul>
          <p>{texts.namesakesHint}</p>
        </Notice>
      )}
    </div>
  );
}

/** Empty until the user pauses, and when the lookup fails: it is only a hint. */
function useNamesakes(name: string): readonly GalleryMark[] {
  const { client } = useAccount();
  const [found, setFound] = useState<{ readonly name: string; readonly marks: readonly GalleryMark[] }>();
  useEffect(() => {
    if (validateName(name) !== undefined) return;
    const controller = new AbortController();
    const { signal } = controller;
    const timer = setTimeout(() => {
      client.listNamesakes({ name: name.trim() }, { signal }).then(
        ({ marks }) => !signal.aborted && setFound({ name, marks }),
        () => {},
      );
    }, TYPING_PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [client, name]);
  return found?.name === name ? found.marks : [];
}
