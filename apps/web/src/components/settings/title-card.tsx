import { z } from 'zod'
import { Card } from '../../ui/card.tsx'
import { Form, SubmitButton, TextField } from '../../ui/forms/form.tsx'
import { useApiForm } from '../api-form.ts'

/** The card that changes the title of the page's object. Render it with a new `key` when the title has changed. */
export const TitleCard = ({
  title,
  rule,
  mayEdit,
  onSave,
}: {
  title: string
  rule: z.ZodType<string, string>
  mayEdit: boolean
  onSave: (title: string) => Promise<unknown>
}) => {
  const form = useApiForm<{ title: string }>(z.object({ title: rule }), { title })
  return (
    <Card title="General">
      <Form form={form} onSubmit={(values) => onSave(values.title)} label="General" className="space-y-4">
        <TextField name="title" label="Title" required disabled={!mayEdit} autoComplete="off" />
        {mayEdit && (
          <div className="flex justify-end">
            <SubmitButton>Save Changes</SubmitButton>
          </div>
        )}
      </Form>
    </Card>
  )
}
