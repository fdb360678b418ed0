import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import {
  methods,
  type NewProfileKey,
  type ProfileKey,
  type ProfileKeyKind,
  profileKeyKinds,
  publicTraits,
  title,
} from '@tributary/contract'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { z } from 'zod'
import { useApiForm } from '../../components/api-form.ts'
import { CreatedKeyDialog } from '../../components/keys/created-key-dialog.tsx'
import { KeyFormDialog } from '../../components/keys/key-form-dialog.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { ReadOnlyNote } from '../../components/settings/read-only-note.tsx'
import { call } from '../../lib/api/client.ts'
import { profileKeyIds, workspaceIds } from '../../lib/format/names.ts'
import { refresh, rowsQuery } from '../../lib/queries/query.ts'
import { useMayEdit, useWorkspace } from '../../lib/workspace.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/code/code-block.tsx'
import { SelectField, TextField, useField } from '../../ui/forms/form.tsx'
import { TagField } from '../../ui/forms/tag-field.tsx'
import { CardList, CardRow } from '../../ui/lists/card-list.tsx'
import { DangerDialog } from '../../ui/overlays/danger-dialog.tsx'
import { CardSkeleton } from '../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'

/** The keys of the Profile API of a workspace, newest first. */
const profileKeysQuery = (workspace: string) =>
  rowsQuery(methods.profileKeys.list, { params: workspaceIds(workspace) }, ({ profile_keys }) => profile_keys)

/** Returns a mutation that changes the keys and then reloads their list. */
const useKeyChange = <Variables, Answer>(change: (variables: Variables) => Promise<Answer>) => {
  const cache = useQueryClient()
  const workspace = useWorkspace().name
  return useMutation({
    mutationFn: change,
    onSettled: () => refresh(cache, ['profileKeys'], workspaceIds(workspace)),
  })
}

const kindTitles: Readonly<Record<ProfileKeyKind, string>> = { secret: 'Secret', public: 'Public' }

const keyForm = z
  .object({ kind: z.enum(profileKeyKinds), title, traits: z.array(z.string()) })
  .refine(({ kind, traits }) => kind === 'secret' || traits.length > 0, {
    path: ['traits'],
    message: 'Enter at least one trait',
  })

/** The choice of the traits that a public key can read. A secret key can read all traits. */
const TraitsOfKey = () =>
  useField('kind').value === 'public' && (
    <TagField
      name="traits"
      label="Traits"
      required
      placeholder="plan"
      hint="Anyone can read these traits with the key and an anonymous ID. Press Enter after each one."
    />
  )

const CreateDialog = ({ onMade, onClosed }: { onMade: (key: NewProfileKey) => void; onClosed: () => void }) => {
  const workspace = useWorkspace().name
  const create = useKeyChange(({ kind, title, traits }: z.infer<typeof keyForm>) =>
    call(methods.profileKeys.create, {
      params: workspaceIds(workspace),
      body: kind === 'public' ? { kind, title, traits } : { kind, title },
    }),
  )
  const form = useApiForm<z.infer<typeof keyForm>>(keyForm, { kind: 'secret', title: '', traits: [] })
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
        placeholder="Recommendation service"
        autoComplete="off"
      />
      <SelectField
        name="kind"
        label="Kind"
        required
        hint="A secret key reads every trait and identifier, from your servers. A public key reads only the traits you choose, from browsers."
      >
        <option value="secret">Secret, for servers</option>
        <option value="public">Public, for browsers</option>
      </SelectField>
      <TraitsOfKey />
    </KeyFormDialog>
  )
}

const traitsForm = z.object({ title, traits: z.array(z.string()) })
const publicForm = z.object({ title, traits: publicTraits })

const EditDialog = ({ item, onClosed }: { item: ProfileKey; onClosed: () => void }) => {
  const readsChosen = item.kind === 'public'
  const update = useKeyChange((change: { title: string; traits?: string[] }) =>
    call(methods.profileKeys.update, {
      params: profileKeyIds(item.name),
      query: { update_mask: Object.keys(change).join(',') },
      body: change,
    }),
  )
  const form = useApiForm<z.infer<typeof traitsForm>>(readsChosen ? publicForm : traitsForm, {
    title: item.title,
    traits: item.traits,
  })
  return (
    <KeyFormDialog
      title="Edit API key"
      form={form}
      submit="Save Changes"
      onSubmit={({ title, traits }) => update.mutateAsync(readsChosen ? { title, traits } : { title })}
      onClosed={onClosed}
    >
      <TextField name="title" label="Title" required autoComplete="off" />
      {readsChosen && (
        <TagField
          name="traits"
          label="Traits"
          required
          hint="Anyone can read these traits with the key and an anonymous ID. Press Enter after each one."
        />
      )}
    </KeyFormDialog>
  )
}

const RotateDialog = ({
  item,
  onMade,
  onClosed,
}: {
  item: ProfileKey
  onMade: (key: NewProfileKey) => void
  onClosed: () => void
}) => {
  const rotate = useKeyChange(async (name: string) =>
    onMade(await call(methods.profileKeys.rotate, { params: profileKeyIds(name), body: {} })),
  )
  return (
    <DangerDialog
      title="Rotate API key"
      confirmLabel="Rotate key"
      mutation={rotate}
      variables={item.name}
      onClosed={onClosed}
    >
      A new key replaces {item.title}, which stops working within two seconds. To rotate without downtime, create a
      second key first and revoke this one once nothing uses it.
    </DangerDialog>
  )
}

const RevokeDialog = ({ item, onClosed }: { item: ProfileKey; onClosed: () => void }) => {
  const revoke = useKeyChange((name: string) => call(methods.profileKeys.delete, { params: profileKeyIds(name) }))
  return (
    <DangerDialog
      title="Revoke API key"
      confirmLabel="Revoke key"
      mutation={revoke}
      variables={item.name}
      onClosed={onClosed}
    >
      Requests that use {item.title} are refused within two seconds. This can't be undone.
    </DangerDialog>
  )
}

/** An example call with a key. */
const callWith = ({ kind }: Pick<ProfileKey, 'kind'>, key: string): string =>
  kind === 'secret'
    ? `curl -u "${key}:" ${window.location.origin}/profiles/v1/user_id:USER_ID/traits`
    : `fetch("${window.location.origin}/profiles/v1/anonymous_id:" + encodeURIComponent(anonymousId) + "/traits?key=${key}")`

type Step = { kind: 'create' } | { kind: 'edit' | 'rotate' | 'revoke'; item: ProfileKey }

const Row = ({ item, mayEdit, onStep }: { item: ProfileKey; mayEdit: boolean; onStep: (step: Step) => void }) => (
  <CardRow>
    <KeyRound aria-hidden className="size-4 shrink-0 text-ink-3 max-sm:hidden" />
    <span className="min-w-0 flex-1 basis-56">
      <span className="flex items-center gap-2 text-sm font-medium">
        <span className="truncate" title={item.title}>
          {item.title}
        </span>
        <Badge>{kindTitles[item.kind]}</Badge>
      </span>
      <span className="block text-xs break-words text-ink-3">
        Ends with <code className="font-mono">{item.hint}</code> · Created <RelativeTime time={item.create_time} />
        {item.kind === 'public' && ` · Reads ${item.traits.join(', ')}`}
      </span>
    </span>
    {mayEdit && (
      <span className="flex items-center gap-1">
        <Button variant="none" size="sm" onClick={() => onStep({ kind: 'edit', item })}>
          Edit
        </Button>
        <Button variant="none" size="sm" onClick={() => onStep({ kind: 'rotate', item })}>
          Rotate
        </Button>
        <Button variant="none" size="sm" onClick={() => onStep({ kind: 'revoke', item })}>
          Revoke
        </Button>
      </span>
    )}
  </CardRow>
)

/** The keys of the Profile API: created, shown once, rotated, revoked. */
export const ApiTab = () => {
  const workspace = useWorkspace().name
  const query = useQuery(profileKeysQuery(workspace))
  const mayEdit = useMayEdit() === true
  const [step, setStep] = useState<Step | undefined>()
  const [made, setMade] = useState<NewProfileKey | undefined>()
  const closed = (): void => setStep(undefined)
  return (
    <div className="max-w-2xl space-y-5">
      <ReadOnlyNote />
      <QueryView query={query} skeleton={<CardSkeleton lines={3} />} errorTitle="Failed to load the API keys">
        {(keys) => (
          <Card
            title="API keys"
            description="The Profile API answers with the traits and identifiers of a user, for personalization in your apps."
            action={
              mayEdit && (
                <Button size="sm" onClick={() => setStep({ kind: 'create' })}>
                  <Plus aria-hidden />
                  Create key
                </Button>
              )
            }
          >
            {keys.length === 0 ? (
              <p className="text-sm text-ink-2">No key yet. Create one to read profiles from your servers.</p>
            ) : (
              <CardList>
                {keys.map((item) => (
                  <Row key={item.name} item={item} mayEdit={mayEdit} onStep={setStep} />
                ))}
              </CardList>
            )}
          </Card>
        )}
      </QueryView>
      <CodeBlock
        codes={[
          { title: 'Traits of a user', language: 'text', text: callWith({ kind: 'secret' }, 'YOUR_SECRET_KEY') },
          { title: 'From a browser', language: 'text', text: callWith({ kind: 'public' }, 'YOUR_PUBLIC_KEY') },
        ]}
        label="Example"
        notice="Example copied"
      />
      {step?.kind === 'create' && <CreateDialog onMade={setMade} onClosed={closed} />}
      {step?.kind === 'edit' && <EditDialog item={step.item} onClosed={closed} />}
      {step?.kind === 'rotate' && <RotateDialog item={step.item} onMade={setMade} onClosed={closed} />}
      {step?.kind === 'revoke' && <RevokeDialog item={step.item} onClosed={closed} />}
      {made !== undefined && step === undefined && (
        <CreatedKeyDialog
          noun="key"
          text={made.key}
          isPublic={made.kind === 'public'}
          example={{ title: 'Example', language: 'text', text: callWith(made, made.key) }}
          onClosed={() => setMade(undefined)}
        />
      )}
    </div>
  )
}
