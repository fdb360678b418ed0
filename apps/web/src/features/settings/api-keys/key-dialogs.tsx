import { type ApiKey, methods, type NewApiKey } from '@tributary/contract'
import { z } from 'zod'
import { useApiForm } from '../../../components/api-form.ts'
import { CreatedKeyDialog } from '../../../components/keys/created-key-dialog.tsx'
import { KeyFormDialog } from '../../../components/keys/key-form-dialog.tsx'
import { call } from '../../../lib/api/client.ts'
import { apiKeyIds } from '../../../lib/format/names.ts'
import { useWorkspace } from '../../../lib/workspace.ts'
import { SelectField } from '../../../ui/forms/form.tsx'
import { DangerDialog } from '../../../ui/overlays/danger-dialog.tsx'
import { useKeyChange } from './use-key-change.ts'

const organizationOf = ({ name }: ApiKey): string => `organizations/${apiKeyIds(name).organization}`

const overlaps = { '0': 'Immediately', '1': 'After 1 hour', '24': 'After 24 hours', '168': 'After 7 days' } as const

const rotateForm = z.object({ overlap: z.enum(['0', '1', '24', '168']) })

/** Creates a new key in place of a previous one, after asking how long the previous key stays valid. */
export const RotateKeyDialog = ({
  item,
  onMade,
  onClosed,
}: {
  item: ApiKey
  onMade: (key: NewApiKey) => void
  onClosed: () => void
}) => {
  const rotate = useKeyChange(organizationOf(item), (hours: number) =>
    call(methods.apiKeys.rotate, { params: apiKeyIds(item.name), body: { overlap_hours: hours } }),
  )
  const form = useApiForm<z.infer<typeof rotateForm>>(rotateForm, { overlap: '24' })
  return (
    <KeyFormDialog
      title="Rotate API key"
      form={form}
      submit="Rotate key"
      onSubmit={async ({ overlap }) => onMade(await rotate.mutateAsync(Number(overlap)))}
      onClosed={onClosed}
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
    </KeyFormDialog>
  )
}

/** Asks for confirmation before a key is revoked. */
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
      <p>Calls that use {item.title} are refused within two seconds. This can't be undone.</p>
      {item.writekeys.length > 0 && (
        <>
          <p className="mt-3">
            These write keys were created with it. They keep working until you revoke them at their source:
          </p>
          <ul className="mt-1 max-h-40 list-disc overflow-y-auto pl-5">
            {item.writekeys.map(({ name, title, source }) => (
              <li key={name}>{title === '' ? source.title : `${title} (${source.title})`}</li>
            ))}
          </ul>
        </>
      )}
    </DangerDialog>
  )
}

/** Shows a new key. The key cannot be shown again later. */
export const CreatedApiKeyDialog = ({ made, onClosed }: { made: NewApiKey; onClosed: () => void }) => {
  const workspace = useWorkspace().name
  const url = `${window.location.origin}/api/${made.workspace?.name ?? workspace}/sources`
  const text = `curl ${url} \\\n  -H 'Authorization: Bearer ${made.key}'`
  return (
    <CreatedKeyDialog
      noun="key"
      text={made.key}
      example={{ title: 'List sources', language: 'shell', text }}
      onClosed={onClosed}
    />
  )
}
