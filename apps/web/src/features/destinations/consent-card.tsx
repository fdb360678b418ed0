import { type Destination, destinations } from '@tributary/contract'
import { useState } from 'react'
import { messageOf, useAttempt } from '../../components/use-attempt.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Field } from '../../ui/forms/field.tsx'
import { TagInput } from '../../ui/forms/tag-input.tsx'

const rule = destinations.update.request.shape.consent_categories

/** The consent categories of a destination. Render it with a new `key` when they have changed. */
export const ConsentCard = ({
  categories,
  mayEdit,
  onSave,
}: {
  categories: Destination['consent_categories']
  mayEdit: boolean
  onSave: (categories: string[]) => Promise<unknown>
}) => {
  const [draft, setDraft] = useState<readonly string[]>(categories)
  const { pending: saving, failure: problem, setFailure: setProblem, attempt } = useAttempt(messageOf)
  const changed = JSON.stringify(draft) !== JSON.stringify(categories)
  const save = async (): Promise<void> => {
    const checked = rule.safeParse(draft)
    setProblem(checked.error?.issues[0]?.message)
    if (checked.success) await attempt(() => onSave([...draft]))
  }
  return (
    <Card
      title="Consent"
      description="Only send events whose user has consented to every category below. The rest are listed as Filtered in deliveries."
    >
      <div className="space-y-4">
        <Field
          label="Consent categories"
          hint="Category names as your consent tool writes them to context.consent.categoryPreferences. Leave empty to send every event."
          error={problem}
        >
          {(aria) => (
            <TagInput
              control={aria}
              value={draft}
              disabled={!mayEdit || saving}
              placeholder={mayEdit ? 'Type a category and press Enter' : ''}
              onChange={(tags) => {
                setProblem(undefined)
                setDraft([...new Set(tags)])
              }}
            />
          )}
        </Field>
        {mayEdit && changed && (
          <div className="flex justify-end gap-2">
            <Button
              disabled={saving}
              onClick={() => {
                setProblem(undefined)
                setDraft(categories)
              }}
            >
              Discard
            </Button>
            <Button variant="primary" loading={saving} onClick={() => void save()}>
              Save consent
            </Button>
          </div>
        )}
      </div>
    </Card>
  )
}
