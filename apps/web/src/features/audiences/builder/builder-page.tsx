import { useQuery } from '@tanstack/react-query'
import { type AudienceQuery, genericTitle, stockMessage } from '@tributary/contract'
import { type ReactNode, useMemo, useState } from 'react'
import { BuilderForm } from '../../../components/builder-form.tsx'
import { FormLayout } from '../../../components/docs-panel.tsx'
import { LeaveGuard } from '../../../components/leave-guard.tsx'
import { NameWarnings } from '../../../components/name-warnings.tsx'
import { failureText } from '../../../lib/api/errors.ts'
import { audiencePreviewQuery } from '../../../lib/queries/audience-queries.ts'
import { useWorkspace } from '../../../lib/workspace.ts'
import { Field } from '../../../ui/forms/field.tsx'
import { Input } from '../../../ui/forms/input.tsx'
import { PageHeader } from '../../../ui/page/page-header.tsx'
import { checkTree, shownErrors } from './draft.ts'
import { EstimatePanel } from './estimate-panel.tsx'
import { TreeEditor } from './tree-editor.tsx'
import type { Building } from './use-draft.ts'

const titleError = (title: string): string | undefined =>
  genericTitle.safeParse(title, { error: stockMessage }).error?.issues[0]?.message

/** The query while the draft has errors. It is never sent. */
const nothingAsked: AudienceQuery = { operator: 'and', groups: {}, includeAnonymous: true }

type Save = (audience: { title: string; query: AudienceQuery }) => void

/** The page on which an audience is built: its title, its query, and the matching profiles beside them. */
export const BuilderPage = ({
  heading,
  crumbs,
  own,
  title: given,
  building,
  above,
  saveLabel,
  saving,
  failure,
  conflict,
  onSave,
}: {
  heading: string
  crumbs: readonly { label: string; to: string }[]
  /** The resource name of the edited audience; '' for a new one. */
  own: string
  title: string
  building: Building
  /** Shown above the title. */
  above?: ReactNode
  saveLabel: string
  saving: boolean
  failure: Error | null
  /** Shown after another user's change; `again` saves the built query with another function. */
  conflict?: ((again: (save: Save) => void) => ReactNode) | undefined
  onSave: Save
}) => {
  const [title, setTitle] = useState(given)
  const [asked, setAsked] = useState(false)
  const { draft } = building
  const checked = useMemo(() => checkTree(draft.tree), [draft.tree])
  const errors = useMemo(() => shownErrors(draft), [draft])
  const query = 'query' in checked ? checked.query : undefined
  // The preview panel shows the same cached result, so this makes no second call.
  const preview = useQuery({
    ...audiencePreviewQuery(useWorkspace().name, query ?? nothingAsked, { estimate: true }),
    enabled: false,
  })
  const warnings = query === undefined ? [] : (preview.data?.warnings ?? [])
  const wrongTitle = titleError(title)
  const saveBy = (how: Save): void => {
    setAsked(true)
    building.showErrors()
    if (query !== undefined && wrongTitle === undefined) how({ title: title.trim(), query })
  }
  const dirty = draft.past.length > 0 || title !== given
  return (
    <>
      <PageHeader title={heading} crumbs={crumbs} />
      <LeaveGuard dirty={dirty && !saving}>Your changes to this audience are not saved.</LeaveGuard>
      {above}
      <FormLayout aside={<EstimatePanel query={query} />}>
        <BuilderForm
          label={heading}
          saveLabel={saveLabel}
          saving={saving}
          refusal={failure === null ? undefined : `The audience was not saved: ${failureText(failure)}`}
          conflict={conflict?.(saveBy)}
          onSubmit={() => saveBy(onSave)}
        >
          <Field label="Title" required error={asked ? wrongTitle : undefined}>
            {(control) => (
              <Input
                {...control}
                value={title}
                autoComplete="off"
                placeholder="Enter your audience name"
                onChange={({ target }) => setTitle(target.value)}
              />
            )}
          </Field>
          <NameWarnings value={warnings}>
            <TreeEditor errors={errors} building={building} own={own} />
          </NameWarnings>
        </BuilderForm>
      </FormLayout>
    </>
  )
}
