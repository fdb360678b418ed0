import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type Audience, genericTitle, type ListReport, methods } from '@tributary/contract'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { z } from 'zod'
import { useApiForm } from '../../../components/api-form.ts'
import { LeaveGuard } from '../../../components/leave-guard.tsx'
import { call } from '../../../lib/api/client.ts'
import { failureText } from '../../../lib/api/errors.ts'
import { audienceIds } from '../../../lib/format/names.ts'
import { count, pluralise } from '../../../lib/format/text.ts'
import { track } from '../../../lib/integrations/analytics.ts'
import { paths } from '../../../lib/paths.ts'
import { refresh } from '../../../lib/queries/query.ts'
import { useWorkspace } from '../../../lib/workspace.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Field } from '../../../ui/forms/field.tsx'
import { Form, SubmitButton, TextField } from '../../../ui/forms/form.tsx'
import { Select } from '../../../ui/forms/input.tsx'
import { notify } from '../../../ui/overlays/toast.tsx'
import { PageHeader } from '../../../ui/page/page-header.tsx'
import { useUpdateAudience } from '../mutations.ts'
import { ListForm, type ListSource } from './list-form.tsx'

/** A change of the list of an audience: the values to add, or the values that replace the list. */
type ListChange = ListSource & { operation: 'add' | 'replace' }

/** Looks up a changed list. */
const checkListChange = async ({ name }: Pick<Audience, 'name'>, change: ListChange): Promise<ListReport> => {
  const body = { ...change, validate_only: true }
  return (await call(methods.audiences.changeList, { params: audienceIds(name), body })).report
}

/** Adds to the list of an audience, or replaces it; rejected if the audience has a newer version. */
const useChangeList = ({ name, version }: Pick<Audience, 'name' | 'version'>) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (change: ListChange) =>
      call(methods.audiences.changeList, { params: audienceIds(name), body: { ...change, version } }),
    onSuccess: () => {
      track('Audience Updated', { audience: name })
      notify('success', 'List Updated')
    },
    onSettled: () => {
      const { workspace } = audienceIds(name)
      refresh(cache, ['audiences'], { workspace })
    },
  })
}

const about: Readonly<Record<ListChange['operation'], string>> = {
  add: 'Profiles that are on the list stay on it.',
  replace: 'Profiles that are not on the new list leave the audience.',
}

const ChangeForm = ({ audience }: { audience: Audience }) => {
  const navigate = useNavigate()
  const [operation, setOperation] = useState<ListChange['operation']>('add')
  const [dirty, setDirty] = useState(false)
  const change = useChangeList(audience)
  return (
    <Card title="Change the list">
      <LeaveGuard dirty={dirty && !change.isPending && !change.isSuccess}>Your list is not saved.</LeaveGuard>
      <div className="space-y-5">
        <Field label="Change" required hint={about[operation]}>
          {(control) => (
            <Select
              {...control}
              value={operation}
              onChange={({ target }) => {
                setOperation(target.value === 'replace' ? 'replace' : 'add')
                change.reset()
              }}
            >
              <option value="add">Add to the list</option>
              <option value="replace">Replace the list</option>
            </Select>
          )}
        </Field>
        <ListForm
          label="List"
          onCheck={(list) => checkListChange(audience, { ...list, operation })}
          onChange={() => {
            setDirty(true)
            change.reset()
          }}
        >
          {(list) =>
            list !== undefined && (
              <Button
                variant="primary"
                loading={change.isPending || change.isSuccess}
                onClick={() => {
                  const { kind, values } = list
                  change.mutate(
                    { operation, kind, values },
                    { onSuccess: () => void navigate(paths.audience(audience.name)) },
                  )
                }}
              >
                {operation === 'add' ? 'Add' : 'Replace with'} {count(list.report.profile_count)}{' '}
                {pluralise(list.report.profile_count, 'profile')}
              </Button>
            )
          }
        </ListForm>
        {change.isError && <Alert>The list was not changed: {failureText(change.error)}</Alert>}
      </div>
    </Card>
  )
}

const titled = z.object({ title: genericTitle })

/** Changes the title and the list of an audience that is a list. */
export const EditList = ({ audience: given }: { audience: Audience }) => {
  // The form keeps the opened version, so that another user's change is reported on saving.
  const [audience] = useState(given)
  const workspace = useWorkspace().name
  const navigate = useNavigate()
  const update = useUpdateAudience(audience)
  const form = useApiForm(titled, { title: audience.title })
  const heading = `Edit ${audience.title}`
  return (
    <>
      <PageHeader
        title={heading}
        crumbs={[
          { label: 'Audiences', to: paths.audiences(workspace) },
          { label: audience.title, to: paths.audience(audience.name) },
        ]}
      />
      <div className="max-w-2xl space-y-5">
        <Card>
          <Form
            form={form}
            label="Title"
            className="space-y-4"
            onSubmit={async ({ title }) => {
              await update.mutateAsync({ title, query: audience.query, version: audience.version })
              void navigate(paths.audience(audience.name))
            }}
          >
            <TextField name="title" label="Title" required autoComplete="off" />
            <div className="flex justify-end">
              <SubmitButton>Save Changes</SubmitButton>
            </div>
          </Form>
        </Card>
        <ChangeForm audience={audience} />
      </div>
    </>
  )
}
