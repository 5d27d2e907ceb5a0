// The name of the user, and log-out.

import { useTitle } from '../../../routing.js';
import { Card } from '../../../ui/Card.js';
import { Form, TextField } from '../../../ui/Form.js';
import { validateName } from '../../../validators.js';
import { useAccount } from '../account.js';
import { LogOutButton } from './LogOutButton.js';

export function ProfilePage() {
  useTitle('Profile');
  const { client, user, reload } = useAccount();
  const save = async ({ name }: { name: string }) => {
    await client.updateMe({ name: name.trim() });
    reload();
  };
  return (
    <>
      <h1>Profile</h1>
      <Card>
        <Form
          validators={{ name: validateName }}
          submit={save}
          action="Save"
          busyAction="Saving …"
          doneMessage="Saved."
        >
          <TextField
            name="name"
            label="Your name"
            hint="Shown next to files that you register under public Marks. Files that are already registered keep the name that was signed with them."
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
