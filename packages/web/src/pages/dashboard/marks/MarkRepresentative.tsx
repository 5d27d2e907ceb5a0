// The statement that another Mark represents this one by now.

import type { Mark } from '@provenance-registry/core';
import { useCallback, useState } from 'preact/compat';
import * as texts from '#texts/marks/markMembers';
import { announce } from '../../../ui/feedback/LiveRegion.js';
import { QueryView } from '../../../ui/feedback/query.js';
import { Button } from '../../../ui/form/Button.js';
import { ConfirmDialog } from '../../../ui/form/Dialog.js';
import { SelectField } from '../../../ui/form/Field.js';
import * as basics from '../../../ui/layout/basics.module.css';
import { Card } from '../../../ui/layout/Card.js';
import { useAccount, useAuthedQuery } from '../account.js';
import type { MarkProps } from './MarkMembers.js';

export function MarkRepresentative({ mark, onChange }: MarkProps) {
  const { client, user } = useAccount();
  const query = useAuthedQuery(useCallback((signal: AbortSignal) => client.listMarks({ signal }), [client]));
  if (mark.admin.id !== user.id || mark.isClosed) return null;
  return (
    <Card title={texts.representativeTitle}>
      <p className={basics.quiet}>{texts.representativeLead}</p>
      <QueryView query={query} what={texts.marks}>
        {(marks) => (
          <RepresentativeChoice
            {...{ mark, onChange }}
            candidates={marks.filter(
              ({ id, visibility, isClosed }) => id !== mark.id && visibility === 'public' && !isClosed,
            )}
          />
        )}
      </QueryView>
    </Card>
  );
}

function RepresentativeChoice({ mark, candidates, onChange }: MarkProps & { readonly candidates: readonly Mark[] }) {
  const { client } = useAccount();
  const current = mark.representedBy;
  const [selectedId, setSelectedId] = useState(current?.id ?? '');
  const [isAsking, setIsAsking] = useState(false);
  const selected = candidates.find(({ id }) => id === selectedId);
  if (candidates.length === 0 && current === null) {
    return <p>{texts.hasNoCandidates}</p>;
  }
  const save = async () => {
    await client.putRepresentative({ markId: mark.id, representativeId: selected?.id ?? null });
    announce(texts.statementChanged);
    onChange();
  };
  const others = current && !candidates.some(({ id }) => id === current.id) ? [current] : [];
  return (
    <>
      <SelectField
        label={texts.representedBy}
        options={[{ id: '', name: texts.noOtherMark }, ...others, ...candidates.map(({ id, name }) => ({ id, name }))]}
        value={selectedId}
        onSelect={setSelectedId}
      />
      <Button disabled={selectedId === (current?.id ?? '')} onClick={() => setIsAsking(true)}>
        {texts.changeStatement}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={selected ? texts.stateQuestion : texts.removeQuestion}
          action={texts.changeStatement}
          work={save}
          onClose={() => setIsAsking(false)}
        >
          <p>{selected ? texts.statementConsequences(<bdi>{selected.name}</bdi>) : texts.noStatement}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
