// The statement that another Mark represents this one by now.

import type { Mark } from '@provenance-registry/core';
import { useCallback, useState } from 'preact/compat';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { ConfirmDialog } from '../../ui/Dialog.js';
import { SelectField } from '../../ui/Field.js';
import { announce } from '../../ui/LiveRegion.js';
import { QueryView } from '../../ui/query.js';
import { useAccount, useAuthedQuery } from './account.js';
import type { MarkProps } from './MarkMembers.js';

export function MarkRepresentative({ mark, onChange }: MarkProps) {
  const { client, user } = useAccount();
  const query = useAuthedQuery(useCallback((signal: AbortSignal) => client.listMarks({ signal }), [client]));
  if (mark.admin.id !== user.id || mark.isClosed) return null;
  return (
    <Card title="Represented by another Mark">
      <p className="quiet">
        Registered files never change their Mark. If another Mark speaks for it by now, this statement is shown with the
        Mark and its files.
      </p>
      <QueryView query={query} what="Marks">
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
    return <p>You can choose any public Mark that you can register files under. There is no other one yet.</p>;
  }
  const save = async () => {
    await client.putRepresentative({ markId: mark.id, representativeId: selected?.id ?? null });
    announce('Statement changed.');
    onChange();
  };
  const others = current && !candidates.some(({ id }) => id === current.id) ? [current] : [];
  return (
    <>
      <SelectField
        label="Represented by"
        options={[{ id: '', name: 'No other Mark' }, ...others, ...candidates.map(({ id, name }) => ({ id, name }))]}
        value={selectedId}
        onSelect={setSelectedId}
      />
      <Button disabled={selectedId === (current?.id ?? '')} onClick={() => setIsAsking(true)}>
        Change statement
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={selected ? 'State that another Mark represents this one?' : 'Remove the statement?'}
          action="Change statement"
          work={save}
          onClose={() => setIsAsking(false)}
        >
          {selected ? (
            <p>
              “Now represented by <bdi>{selected.name}</bdi>” is shown to anyone with this Mark and its files. You can
              change it later.
            </p>
          ) : (
            <p>No other Mark is shown with this one any more.</p>
          )}
        </ConfirmDialog>
      )}
    </>
  );
}
