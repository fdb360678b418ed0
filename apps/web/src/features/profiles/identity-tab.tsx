import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import {
  externalIdKind,
  type IdentityRules,
  type IdentitySettings,
  methods,
  placeholderGroups,
} from '@tributary/contract'
import { z } from 'zod'
import { useApiForm } from '../../components/api-form.ts'
import { QueryView } from '../../components/query-view.tsx'
import { ReadOnlyNote } from '../../components/settings/read-only-note.tsx'
import { call } from '../../lib/api/client.ts'
import { workspaceIds } from '../../lib/format/names.ts'
import { identitySettingsQuery } from '../../lib/queries/profile-queries.ts'
import { useMayEdit, useWorkspace } from '../../lib/workspace.ts'
import { Card } from '../../ui/card.tsx'
import { CheckboxField, Form, SubmitButton, TextField } from '../../ui/forms/form.tsx'
import { TagField } from '../../ui/forms/tag-field.tsx'
import { notify } from '../../ui/overlays/toast.tsx'
import { CardSkeleton } from '../../ui/page/skeleton.tsx'

const useUpdate = () => {
  const cache = useQueryClient()
  const workspace = useWorkspace().name
  return useMutation({
    mutationFn: (change: Partial<IdentityRules>) =>
      call(methods.identitySettings.update, {
        params: workspaceIds(workspace),
        query: { update_mask: Object.keys(change).join(',') },
        body: change,
      }),
    onSuccess: (updated) => {
      cache.setQueryData(identitySettingsQuery(workspace).queryKey, updated)
      notify('success', 'Identity settings updated')
    },
  })
}

type Update = ReturnType<typeof useUpdate>
type PartProps = { settings: IdentitySettings; update: Update; mayEdit: boolean }

const Save = ({ mayEdit }: { mayEdit: boolean }) =>
  mayEdit && (
    <div className="flex justify-end">
      <SubmitButton>Save Changes</SubmitButton>
    </div>
  )

const kinds = [
  ['anonymous_id_limit', 'Anonymous IDs', 'Each browser and each installation of an app has one.'],
  ['external_id_limit', 'External IDs of each kind', 'From context.externalIds.'],
  ['email_limit', 'Email addresses', 'If profiles are linked by email address.'],
  ['phone_limit', 'Phone numbers', 'If profiles are linked by phone number.'],
] as const

const limit = z.string().regex(/^([1-9]|[1-4]\d|50)$/, 'Enter a whole number from 1 to 50')
const limitsForm = z.object({
  anonymous_id_limit: limit,
  external_id_limit: limit,
  email_limit: limit,
  phone_limit: limit,
  single_kinds: z.array(z.string().regex(externalIdKind, 'Use lowercase letters, digits, _, -, and .')),
})

const LimitsCard = ({ settings, update, mayEdit }: PartProps) => {
  const form = useApiForm<z.infer<typeof limitsForm>>(limitsForm, {
    anonymous_id_limit: String(settings.anonymous_id_limit),
    external_id_limit: String(settings.external_id_limit),
    email_limit: String(settings.email_limit),
    phone_limit: String(settings.phone_limit),
    single_kinds: settings.single_kinds,
  })
  const save = (values: z.infer<typeof limitsForm>): Promise<unknown> =>
    update.mutateAsync({
      anonymous_id_limit: Number(values.anonymous_id_limit),
      external_id_limit: Number(values.external_id_limit),
      email_limit: Number(values.email_limit),
      phone_limit: Number(values.phone_limit),
      single_kinds: values.single_kinds,
    })
  return (
    <Card
      title="Limits"
      description="How many identifiers a profile can have. An identifier beyond the limit is not linked, and the profile's history shows it. A profile always has one user ID, and up to 100 identifiers."
    >
      <Form form={form} onSubmit={save} label="Limits" className="space-y-4">
        <div className="grid gap-4 sm:grid-cols-2">
          {kinds.map(([name, label, hint]) => (
            <TextField
              key={name}
              name={name}
              label={label}
              hint={hint}
              required
              inputMode="numeric"
              autoComplete="off"
              disabled={!mayEdit}
            />
          ))}
        </div>
        <TagField
          name="single_kinds"
          label="Kinds of external IDs with one per profile"
          placeholder="customer_number"
          hint="Two profiles with different IDs of such a kind are never merged. Press Enter after each one."
          disabled={!mayEdit}
        />
        <Save mayEdit={mayEdit} />
      </Form>
    </Card>
  )
}

const linkForm = z.object({ link_email: z.boolean(), link_phone: z.boolean() })

const LinkCard = ({ settings, update, mayEdit }: PartProps) => {
  const form = useApiForm<z.infer<typeof linkForm>>(linkForm, {
    link_email: settings.link_email,
    link_phone: settings.link_phone,
  })
  return (
    <Card
      title="Email addresses and phone numbers"
      description="By default, two profiles with the same email address stay separate, because families and teams share addresses."
    >
      <Form form={form} onSubmit={(values) => update.mutateAsync(values)} label="Linking" className="space-y-4">
        <fieldset disabled={!mayEdit} className="space-y-3">
          <CheckboxField name="link_email" label="Link profiles by email address" hint="From the trait email." />
          <CheckboxField
            name="link_phone"
            label="Link profiles by phone number"
            hint="From the trait phone, with its country code: +44 20 7946 0958."
          />
        </fieldset>
        <Save mayEdit={mayEdit} />
      </Form>
    </Card>
  )
}

const alwaysBlocked = placeholderGroups.reduce((count, { values }) => count + values.length, 0)

/** The values that the product always blocks, grouped by what usually sends them. */
const AlwaysBlocked = () => (
  <details className="group mt-5 border-line border-t pt-4">
    <summary className="w-fit rounded-sm text-sm text-ink-2 hover:text-ink">
      {alwaysBlocked} values that are always blocked
    </summary>
    <p className="mt-3 text-sm text-ink-2">
      Programs send them when no user is known. Empty values and zeros, such as an empty UUID, are blocked too. Letter
      case, spaces, and quotation marks around a value don't count.
    </p>
    <dl className="mt-3 space-y-3">
      {placeholderGroups.map(({ title, values }) => (
        <div key={title} className="grid gap-1 sm:grid-cols-[11rem_1fr] sm:gap-4">
          <dt className="text-sm text-ink-2">{title}</dt>
          <dd className="flex flex-wrap gap-1.5">
            {values.map((value) => (
              <code key={value} className="rounded-sm bg-ink/8 px-1 font-mono text-xs break-all">
                {value}
              </code>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  </details>
)

const blockedForm = z.object({ blocked_values: z.array(z.string()).max(200, 'At most 200 values') })

const BlockedCard = ({ settings, update, mayEdit }: PartProps) => {
  const form = useApiForm<z.infer<typeof blockedForm>>(blockedForm, { blocked_values: settings.blocked_values })
  return (
    <Card
      title="Blocked values"
      description="Values that stand for no user in your apps, such as a test account or the ID of a shared device. Events of such a user ID, or of such an anonymous ID alone, get no profile."
    >
      <Form form={form} onSubmit={(values) => update.mutateAsync(values)} label="Blocked values" className="space-y-4">
        <TagField
          name="blocked_values"
          label="Values"
          placeholder="kiosk-1"
          hint="Letter case and spaces around a value don't count. Press Enter after each one."
          disabled={!mayEdit}
        />
        <Save mayEdit={mayEdit} />
      </Form>
      <AlwaysBlocked />
    </Card>
  )
}

/** How identifiers are linked to profiles in the workspace. */
export const IdentityTab = () => {
  const workspace = useWorkspace().name
  const query = useQuery(identitySettingsQuery(workspace))
  const update = useUpdate()
  const mayEdit = useMayEdit() === true
  return (
    <div className="max-w-2xl space-y-5">
      <ReadOnlyNote />
      <QueryView query={query} skeleton={<CardSkeleton />} errorTitle="Failed to load the identity settings">
        {(settings) => {
          const part = { settings, update, mayEdit }
          return (
            <>
              <p className="text-sm text-ink-2">
                Changes apply to events received from now on. Existing profiles stay as they are.
              </p>
              <LimitsCard {...part} />
              <LinkCard {...part} />
              <BlockedCard {...part} />
            </>
          )
        }}
      </QueryView>
    </div>
  )
}
