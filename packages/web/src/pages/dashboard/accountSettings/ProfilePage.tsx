// The name of the user, and log-out.

import * as texts from '#texts/accounts/account';
import { useTitle } from '../../../routing.js';
import { Form, TextField } from '../../../ui/form/Form.js';
import { Card } from '../../../ui/layout/Card.js';
import { validateName } from '../../../validators.js';
import { useAccount } from '../account.js';
import { LogOutButton } from './LogOutButton.js';

export function ProfilePage() {
  useTitle(texts.profile);
  const { client, user, reload } = useAccount();
  const save = async ({ name }: { name: string }) => {
    await client.updateMe({ name: name.trim() });
    reload();
  };
  return (
    <>
      <h1>{texts.profile}</h1>
      <Card>
        <Form
          validators={{ name: validateName }}
          submit={save}
          action={texts.save}
          busyAction={texts.saving}
          doneMessage={texts.saved}
        >
          <TextField
            name="name"
            label={texts.yourName}
            hint={texts.yourNameHint}
            autoComplete="name"
            defaultValue={user.name}
          />
        </Form>
      </Card>
      <div>
        <LogOutButton />
      </div>
    </>
  );
}
