import { type ApiKey, methods, type NewApiKey } from '@tributary/contract'
import { useState } from 'react'
import { z } from 'zod'
import { call } from '../../../lib/api/client.ts'
import { apiKeyIds } from '../../../lib/format/names.ts'
import { useWorkspace } from '../../../lib/workspace.ts'
import { useApiForm } from '../../../parts/api-form.ts'
import { Button } from '../../../ui/button.tsx'
import { CodeBlock } from '../../../ui/code/code-block.tsx'
import { CopyButton } from '../../../ui/code/copy-button.tsx'
import { Form, SelectField, SubmitButton } from '../../../ui/forms/form.tsx'
import { DangerDialog } from '../../../ui/overlays/danger-dialog.tsx'
import { Dialog } from '../../../ui/overlays/dialog.tsx'
import { useKeyChange } from './use-key-change.ts'

const organizationOf = ({ name }: ApiKey): string => `organizations/${apiKeyIds(name).organization}`

const overlaps = { '0': 'Immediately', '1': 'After 1 hour', '24': 'After 24 hours', '168': 'After 7 days' } as const

const rotateForm = z.object({ overlap: z.enum(['0', '1', '24', '168']) })

/** Asks how long the key before goes on, and makes a new one. */
export const RotateKeyDialog = ({
  item,
  onMade,
  onClosed,
}: {
  item: ApiKey
  onMade: (key: NewApiKey) => void
  onClosed: () => void
}) => {
  const [open, setOpen] = useState(true)
  const rotate = useKeyChange(organizationOf(item), (hours: number) =>
    call(methods.apiKeys.rotate, { params: apiKeyIds(item.name), body: { overlap_hours: hours } }),
  )
  const form = useApiForm<z.infer<typeof rotateForm>>(rotateForm, { overlap: '24' })
  const close = (): void => setOpen(false)
  return (
    <Dialog open={open} onClose={close} onClosed={onClosed} title="Rotate API key">
      <Form
        form={form}
        label="Rotate API key"
        className="space-y-5"
        onSubmit={async ({ overlap }) => {
          onMade(await rotate.mutateAsync(Number(overlap)))
          close()
        }}
      >
        <p className="text-sm text-ink-2">
          {item.title} gets a new key with the same role and areas. Replace it where it is used before the current one
          stops working.
        </p>
        <SelectField name="overlap" label="The current key stops working">
          {Object.entries(overlaps).map(([hours, text]) => (
            <option key={hours} value={hours}>
              {text}
            </option>
          ))}
        </SelectField>
        <div className="flex justify-end gap-2">
          <Button onClick={close}>Cancel</Button>
          <SubmitButton>Rotate key</SubmitButton>
        </div>
      </Form>
    </Dialog>
  )
}

/** Asks before a key is revoked. */
export const RevokeKeyDialog = ({ item, onClosed }: { item: ApiKey; onClosed: () => void }) => {
  const revoke = useKeyChange(organizationOf(item), (name: string) =>
    call(methods.apiKeys.delete, { params: apiKeyIds(name) }),
  )
  return (
    <DangerDialog
      title="Revoke API key"
      confirmLabel="Revoke key"
      mutation={revoke}
      variables={item.name}
      onClosed={onClosed}
    >
      Calls that use {item.title} are refused within two seconds. This can't be undone.
    </DangerDialog>
  )
}

/** A key, this once. */
export const MadeKeyDialog = ({ made, onClosed }: { made: NewApiKey; onClosed: () => void }) => {
  const [open, setOpen] = useState(true)
  const workspace = useWorkspace().name
  const url = `${window.location.origin}/api/${made.workspace?.name ?? workspace}/sources`
  return (
    <Dialog open={open} onClose={() => setOpen(false)} onClosed={onClosed} title="Save your API key">
      <div className="space-y-4">
        <p className="text-sm text-ink-2">Keep it secret. It isn't shown again after you close this window.</p>
        <p className="flex items-center gap-2 rounded-lg border border-line bg-code px-3 py-2">
          <code className="min-w-0 flex-1 font-mono text-sm break-all">{made.key}</code>
          <CopyButton text={made.key} name="Copy key" notice="API key copied" />
        </p>
        <CodeBlock
          codes={[
            {
              title: 'List sources',
              language: 'shell',
              text: `curl ${url} \\\n  -H 'Authorization: Bearer ${made.key}'`,
            },
          ]}
          notice="Example copied"
        />
        <div className="flex justify-end">
          <Button variant="primary" onClick={() => setOpen(false)}>
            Done
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
