import {
  type KeyArea,
  keyAreaNames,
  keyAreas,
  methods,
  type NewApiKey,
  roles,
  title,
  toRole,
} from '@tributary/contract'
import { z } from 'zod'
import { useApiForm } from '../../../components/api-form.ts'
import { KeyFormDialog } from '../../../components/keys/key-form-dialog.tsx'
import { call } from '../../../lib/api/client.ts'
import { organizationIds } from '../../../lib/format/names.ts'
import { roleTitle } from '../../../lib/people/roles.ts'
import { useWorkspace } from '../../../lib/workspace.ts'
import { CheckboxField, SelectField, TextField } from '../../../ui/forms/form.tsx'
import { useFormState } from '../../../ui/forms/form-state.ts'
import { Options } from '../../../ui/forms/options.tsx'
import { useKeyChange } from './use-key-change.ts'

const dayMs = 24 * 60 * 60_000

/** Lifetimes of a key in days, for the form. */
const lifetimes = ['30', '90', '365', 'never'] as const

const areaFields = Object.fromEntries(keyAreaNames.map((area) => [area, z.boolean()])) as Record<KeyArea, z.ZodBoolean>

const keyForm = z
  .object({
    title,
    role: z.enum(roles),
    scope: z.enum(['organization', 'workspace']),
    lifetime: z.enum(lifetimes),
    every: z.boolean(),
    ...areaFields,
  })
  .refine((values) => values.every || keyAreaNames.some((area) => values[area]), {
    path: ['every'],
    message: 'Select at least one area',
  })
type KeyForm = z.infer<typeof keyForm>

const first: KeyForm = {
  title: '',
  role: 'ORG_COLLABORATOR',
  scope: 'workspace',
  lifetime: '90',
  every: true,
  ...(Object.fromEntries(keyAreaNames.map((area) => [area, false])) as Record<KeyArea, boolean>),
}

/** Asks for the purpose of a key and creates it. */
export const CreateKeyDialog = ({
  organization,
  onMade,
  onClosed,
}: {
  organization: string
  onMade: (key: NewApiKey) => void
  onClosed: () => void
}) => {
  const workspace = useWorkspace()
  const create = useKeyChange(organization, (values: KeyForm) =>
    call(methods.apiKeys.create, {
      params: organizationIds(organization),
      body: {
        title: values.title,
        role: values.role,
        areas: keyAreaNames.filter((area) => values.every || values[area]),
        workspace: values.scope === 'workspace' ? workspace.name : null,
        expire_time:
          values.lifetime === 'never' ? null : new Date(Date.now() + Number(values.lifetime) * dayMs).toISOString(),
      },
    }),
  )
  const form = useApiForm<KeyForm>(keyForm, first)
  const every = useFormState(form, ({ values }) => values.every)
  return (
    <KeyFormDialog
      title="Create API key"
      form={form}
      submit="Create key"
      onSubmit={async (values) => onMade(await create.mutateAsync(values))}
      onClosed={onClosed}
    >
      <TextField
        name="title"
        label="Title"
        required
        hint="Where the key is used, so you know which one to revoke."
        placeholder="Terraform"
        autoComplete="off"
      />
      <div className="grid gap-5 sm:grid-cols-2">
        <SelectField name="role" label="Role" hint="What the key can do in its areas.">
          <Options of={roles} title={(role) => roleTitle(toRole(role))} />
        </SelectField>
        <SelectField name="scope" label="Workspace">
          <option value="workspace">{workspace.title}</option>
          <option value="organization">All workspaces and the organization</option>
        </SelectField>
      </div>
      <fieldset className="space-y-2.5">
        <legend className="mb-2 text-sm font-medium">Areas</legend>
        <CheckboxField name="every" label="All areas" />
        {!every && (
          <div className="grid gap-2.5 border-l border-line pl-4 sm:grid-cols-2">
            {keyAreaNames.map((area) => (
              <CheckboxField key={area} name={area} label={keyAreas[area]} />
            ))}
          </div>
        )}
      </fieldset>
      <SelectField name="lifetime" label="Expires" hint="A key that expired is refused. You can't extend it.">
        <Options of={lifetimes} title={(days) => (days === 'never' ? 'Never' : `In ${days} days`)} />
      </SelectField>
    </KeyFormDialog>
  )
}
