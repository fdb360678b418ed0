import { useQuery } from '@tanstack/react-query'
import type { ComputedTraitDefinition } from '@tributary/contract'
import { useMemo, useState } from 'react'
import { BuilderForm } from '../../../components/builder-form.tsx'
import { FormLayout } from '../../../components/docs-panel.tsx'
import { LeaveGuard } from '../../../components/leave-guard.tsx'
import { NameWarnings } from '../../../components/name-warnings.tsx'
import { formFailure } from '../../../lib/api/errors.ts'
import { computedTraitPreviewQuery } from '../../../lib/queries/computed-trait-queries.ts'
import { useWorkspace } from '../../../lib/workspace.ts'
import { Card } from '../../../ui/card.tsx'
import { Field } from '../../../ui/forms/field.tsx'
import { Input } from '../../../ui/forms/input.tsx'
import { PageHeader } from '../../../ui/page/page-header.tsx'
import { checkDefinition, traitError } from './builder-draft.ts'
import { DefinitionFields } from './definition-form.tsx'
import { PreviewPanel } from './preview-panel.tsx'

/** The errors of a rejected call, for the trait's name and for the form. */
const refusalOf = (failure: Error | null): { trait?: string; form?: string } => {
  if (failure === null) return {}
  const { fields, form } = formFailure(failure)
  const trait = fields.find(({ name }) => name === 'trait')?.message
  const other =
    fields.find(({ name }) => name !== 'trait')?.message ?? (trait === undefined ? form?.message : undefined)
  return { ...(trait === undefined ? {} : { trait }), ...(other === undefined ? {} : { form: other }) }
}

/** The page that defines a computed trait, with its values for some profiles beside the form. */
export const BuilderPage = ({
  heading,
  crumbs,
  given,
  saveLabel,
  saving,
  failure,
  onSave,
}: {
  heading: string
  crumbs: readonly { label: string; to: string }[]
  /** The initial values; the name of an existing trait cannot be changed. */
  given: { trait: string | undefined; definition: ComputedTraitDefinition }
  saveLabel: string
  saving: boolean
  failure: Error | null
  onSave: (made: { trait: string; definition: ComputedTraitDefinition }) => void
}) => {
  const [trait, setTrait] = useState(given.trait ?? '')
  const [draft, setDraft] = useState(given.definition)
  const [asked, setAsked] = useState(false)
  const checked = useMemo(() => checkDefinition(draft), [draft])
  const definition = 'definition' in checked ? checked.definition : undefined
  // The preview panel shows the same cached result, so this makes no second call.
  const workspace = useWorkspace().name
  const preview = useQuery({ ...computedTraitPreviewQuery(workspace, definition ?? given.definition), enabled: false })
  const warnings = definition === undefined ? [] : (preview.data?.warnings ?? [])
  const errors = asked && 'errors' in checked ? checked.errors : undefined
  const wrongTrait = traitError(trait)
  const refusal = refusalOf(failure)
  const dirty = !saving && (draft !== given.definition || trait !== (given.trait ?? ''))
  return (
    <>
      <PageHeader title={heading} crumbs={crumbs} />
      <LeaveGuard dirty={dirty}>Your changes to this computed trait are not saved.</LeaveGuard>
      <FormLayout aside={<PreviewPanel definition={definition} />}>
        <Card>
          <BuilderForm
            label={heading}
            saveLabel={saveLabel}
            saving={saving}
            refusal={refusal.form === undefined ? undefined : `The computed trait was not saved: ${refusal.form}`}
            onSubmit={() => {
              setAsked(true)
              if (definition !== undefined && wrongTrait === undefined) onSave({ trait: trait.trim(), definition })
            }}
          >
            <Field
              label="Name of the trait"
              required
              error={(asked ? wrongTrait : undefined) ?? refusal.trait}
              hint={
                given.trait === undefined
                  ? 'Profiles, audiences, and the Profile API show the value under this name. It cannot be changed later.'
                  : 'The name cannot be changed.'
              }
            >
              {(control) => (
                <Input
                  {...control}
                  value={trait}
                  disabled={given.trait !== undefined}
                  autoComplete="off"
                  spellCheck={false}
                  placeholder="orders_30_days"
                  className="font-mono text-xs max-sm:text-lg"
                  onChange={({ target }) => setTrait(target.value)}
                />
              )}
            </Field>
            <NameWarnings value={warnings}>
              <DefinitionFields draft={draft} errors={errors} onChange={setDraft} />
            </NameWarnings>
          </BuilderForm>
        </Card>
      </FormLayout>
    </>
  )
}
