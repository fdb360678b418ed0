import { useMutation, useQueryClient } from '@tanstack/react-query'
import { methods, type Source, type WriteKey } from '@tributary/contract'
import { Eye, EyeOff, KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { z } from 'zod'
import { useApiForm } from '../../../components/api-form.ts'
import { call } from '../../../lib/api/client.ts'
import { sourceIds, writekeyIds } from '../../../lib/format/names.ts'
import { writekeysQuery } from '../../../lib/queries/workspace-queries.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { CopyButton } from '../../../ui/code/copy-button.tsx'
import { Form, SubmitButton, TextField } from '../../../ui/forms/form.tsx'
import { CardList, CardRow } from '../../../ui/lists/card-list.tsx'
import { DangerDialog } from '../../../ui/overlays/danger-dialog.tsx'
import { Dialog } from '../../../ui/overlays/dialog.tsx'
import { notify } from '../../../ui/overlays/toast.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { maskKey } from './guide.ts'

/** Creates another write key for a source, optionally with a title. */
const useCreateWriteKey = (source: Source) => {
  const cache = useQueryClient()
  const { workspace } = sourceIds(source.name)
  return useMutation({
    mutationFn: (title: string) =>
      call(methods.writekeys.create, { params: { workspace }, body: { source: source.name, title } }),
    onSuccess: () => notify('success', 'Write Key Created'),
    onSettled: () => cache.invalidateQueries({ queryKey: writekeysQuery(source.name).queryKey }),
  })
}

/** Replaces a write key by a new one; the old one is rejected within two seconds. */
const useRotateWriteKey = (source: Source) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (key: string) => call(methods.writekeys.rotate, { params: writekeyIds(key), body: {} }),
    onSuccess: () => notify('success', 'Write Key Rotated'),
    onSettled: () => cache.invalidateQueries({ queryKey: writekeysQuery(source.name).queryKey }),
  })
}

/** Revokes a write key of a source: requests with it are rejected within two seconds. */
const useRevokeWriteKey = (source: Source) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (key: string) => call(methods.writekeys.delete, { params: writekeyIds(key) }),
    onSuccess: () => notify('success', 'Write Key Revoked'),
    onSettled: () => cache.invalidateQueries({ queryKey: writekeysQuery(source.name).queryKey }),
  })
}

const Key = ({
  writekey,
  mayEdit,
  onRotate,
  onRevoke,
}: {
  writekey: WriteKey
  mayEdit: boolean
  onRotate: () => void
  onRevoke: () => void
}) => {
  const [shown, setShown] = useState(false)
  return (
    <CardRow>
      <KeyRound aria-hidden className="size-4 shrink-0 text-ink-3 max-sm:hidden" />
      <span className="min-w-0 flex-1 basis-56">
        <code className="block font-mono text-sm break-all">{shown ? writekey.key : maskKey(writekey.key)}</code>
        <span className="text-xs text-ink-3">
          {writekey.title !== '' && `${writekey.title} · `}Created <RelativeTime time={writekey.create_time} /> ·{' '}
          {writekey.last_used_time === null ? (
            'never used'
          ) : (
            <>
              last used <RelativeTime time={writekey.last_used_time} />
            </>
          )}
        </span>
      </span>
      <span className="flex items-center gap-1">
        <Button
          variant="none"
          size="sm"
          square
          aria-label={shown ? 'Hide key' : 'Reveal key'}
          aria-pressed={shown}
          onClick={() => setShown(!shown)}
        >
          {shown ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
        </Button>
        <CopyButton text={writekey.key} name="Copy key" notice="Write key copied" />
        {mayEdit && (
          <>
            <Button variant="none" size="sm" onClick={onRotate}>
              Rotate
            </Button>
            <Button variant="none" size="sm" onClick={onRevoke}>
              Revoke
            </Button>
          </>
        )}
      </span>
    </CardRow>
  )
}

const RevokeDialog = ({ source, writekey, onClose }: { source: Source; writekey: WriteKey; onClose: () => void }) => {
  const revoke = useRevokeWriteKey(source)
  return (
    <DangerDialog
      title="Revoke write key"
      confirmLabel="Revoke key"
      mutation={revoke}
      variables={writekey.name}
      onClosed={onClose}
    >
      Requests that use <code className="font-mono">{maskKey(writekey.key)}</code> are refused within two seconds. This
      can't be undone.
    </DangerDialog>
  )
}

const RotateDialog = ({ source, writekey, onClose }: { source: Source; writekey: WriteKey; onClose: () => void }) => {
  const rotate = useRotateWriteKey(source)
  return (
    <DangerDialog
      title="Rotate write key"
      confirmLabel="Rotate key"
      mutation={rotate}
      variables={writekey.name}
      onClosed={onClose}
    >
      A new key replaces <code className="font-mono">{maskKey(writekey.key)}</code>, which stops working within two
      seconds. To rotate without downtime, create a second key first and revoke this one once nothing uses it.
    </DangerDialog>
  )
}

const keyForm = z.object({ title: z.string().trim().max(200, 'At most 200 characters') })

const CreateDialog = ({ source, onClosed }: { source: Source; onClosed: () => void }) => {
  const [open, setOpen] = useState(true)
  const create = useCreateWriteKey(source)
  const form = useApiForm<z.infer<typeof keyForm>>(keyForm, { title: '' })
  const close = (): void => setOpen(false)
  return (
    <Dialog open={open} onClose={close} onClosed={onClosed} title="Create write key">
      <Form
        form={form}
        label="Create write key"
        className="space-y-5"
        onSubmit={async ({ title }) => {
          await create.mutateAsync(title)
          close()
        }}
      >
        <TextField
          name="title"
          label="Title"
          hint="Optional. Where the key is used, so you know which one to revoke."
          placeholder="Production website"
          autoComplete="off"
        />
        <div className="flex justify-end gap-2">
          <Button onClick={close}>Cancel</Button>
          <SubmitButton>Create key</SubmitButton>
        </div>
      </Form>
    </Dialog>
  )
}

/** The write keys of a source: reveal, copy, create, rotate, revoke. */
export const WriteKeysCard = ({
  source,
  writekeys,
  mayEdit,
}: {
  source: Source
  writekeys: readonly WriteKey[]
  mayEdit: boolean
}) => {
  const [creating, setCreating] = useState(false)
  const [rotating, setRotating] = useState<WriteKey | undefined>()
  const [revoking, setRevoking] = useState<WriteKey | undefined>()
  return (
    <Card
      title={
        <span className="flex items-center gap-2">
          Write keys <Badge>{writekeys.length}</Badge>
        </span>
      }
      description="A write key identifies the source of an event. It is public and safe to use in a web page."
      action={
        mayEdit && (
          <Button size="sm" onClick={() => setCreating(true)}>
            <Plus aria-hidden />
            Create key
          </Button>
        )
      }
    >
      {writekeys.length === 0 ? (
        <p className="text-sm text-ink-2">No key yet. Create one to send events to this source.</p>
      ) : (
        <CardList>
          {writekeys.map((writekey) => (
            <Key
              key={writekey.name}
              writekey={writekey}
              mayEdit={mayEdit}
              onRotate={() => setRotating(writekey)}
              onRevoke={() => setRevoking(writekey)}
            />
          ))}
        </CardList>
      )}
      {creating && <CreateDialog source={source} onClosed={() => setCreating(false)} />}
      {rotating !== undefined && (
        <RotateDialog source={source} writekey={rotating} onClose={() => setRotating(undefined)} />
      )}
      {revoking !== undefined && (
        <RevokeDialog source={source} writekey={revoking} onClose={() => setRevoking(undefined)} />
      )}
    </Card>
  )
}
