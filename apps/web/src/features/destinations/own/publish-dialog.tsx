import type { CheckedOwnConnector, OwnConnector } from '@tributary/contract'
import { useState } from 'react'
import { ApiError, failureText } from '../../../lib/api/errors.ts'
import { count, pluralise } from '../../../lib/format/text.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/forms/field.tsx'
import { Input } from '../../../ui/forms/input.tsx'
import { Dialog } from '../../../ui/overlays/dialog.tsx'
import { Affected } from './check-panels.tsx'
import { usePublishOwn } from './own-mutations.ts'

/** Asks for a note, says what a publication changes, and publishes the saved draft. */
export const PublishDialog = ({
  own,
  revision,
  checked,
  onClose,
}: {
  own: OwnConnector
  revision: number
  checked: CheckedOwnConnector | undefined
  onClose: () => void
}) => {
  const publish = usePublishOwn(own.name)
  const [note, setNote] = useState('')
  const holds =
    checked?.destinations.some(
      ({ missing_settings: missing, secrets_to_enter: secrets }) => missing.length + secrets.length > 0,
    ) === true ||
    (publish.error instanceof ApiError && publish.error.body.reason === 'DESTINATIONS_HELD')
  const uses = own.destination_count
  const send = (): void =>
    publish.mutate({ note: note.trim(), hold: holds, draft_revision: revision }, { onSuccess: onClose })
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Publish version ${own.current_version + 1}`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" loading={publish.isPending} onClick={send}>
            {holds ? 'Publish and hold' : 'Publish'}
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        <p className="text-sm text-ink-2">
          {own.current_version === 0 && 'It appears in the catalog of this workspace. '}
          {uses === 0
            ? 'No destination uses it yet.'
            : `${count(uses)} ${pluralise(uses, 'destination')} ${uses === 1 ? 'moves' : 'move'} to this version at once.`}
        </p>
        {checked !== undefined && <Affected checked={checked} />}
        <Field label="Note" hint="What changes, for the list of versions.">
          {(control) => (
            <Input {...control} value={note} maxLength={300} onChange={({ target }) => setNote(target.value)} />
          )}
        </Field>
        {publish.isError && <Alert className="text-sm break-words">{failureText(publish.error)}</Alert>}
      </div>
    </Dialog>
  )
}
