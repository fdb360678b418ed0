import { type PrivacyKind, privacyKinds } from '@tributary/contract'
import { useState } from 'react'
import { z } from 'zod'
import { useApiForm } from '../../components/api-form.ts'
import type { NewPrivacyRequest } from '../../components/use-privacy-request.ts'
import { readTextFile } from '../../lib/read-text-file.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/forms/field.tsx'
import { FileInput } from '../../ui/forms/file-input.tsx'
import { Form, SelectField, SubmitButton, TextField, useField } from '../../ui/forms/form.tsx'
import { useFormState } from '../../ui/forms/form-state.ts'
import { Textarea } from '../../ui/forms/input.tsx'
import { Options } from '../../ui/forms/options.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { kindTitles, valuesOf } from './privacy-words.ts'

const kinds = { user_id: 'User ID', anonymous_id: 'Anonymous ID', external: 'External ID' } as const

const newRequest = z
  .object({
    kind: z.enum(privacyKinds),
    identifier: z.enum(['user_id', 'anonymous_id', 'external']),
    type: z.string().max(50, 'At most 50 characters'),
    values: z.string(),
  })
  .superRefine(({ identifier, type, values }, context) => {
    if (identifier === 'external' && type.trim() === '')
      context.addIssue({ code: 'custom', path: ['type'], message: 'Required' })
    const read = valuesOf(values)
    if ('problem' in read) context.addIssue({ code: 'custom', path: ['values'], message: read.problem })
  })
type NewRequest = z.infer<typeof newRequest>

const requestOf = ({ kind, identifier, type, values }: NewRequest): NewPrivacyRequest => {
  const read = valuesOf(values)
  const list = 'values' in read ? read.values : []
  return {
    kind,
    identifiers: list.map((value) => ({ type: identifier === 'external' ? type.trim() : identifier, value })),
  }
}

/** A list that is typed, pasted or loaded from a file. */
const ValuesField = () => {
  const { value, error, change, ref } = useField('values')
  const [unread, setUnread] = useState('')
  return (
    <Field label="Identifiers" required hint="One on each line, up to 1,000." error={unread === '' ? error : unread}>
      {(control) => (
        <>
          <Textarea
            {...control}
            rows={6}
            className="font-mono text-xs"
            value={typeof value === 'string' ? value : ''}
            onChange={({ target }) => change(target.value)}
            ref={ref}
          />
          <FileInput
            label="Choose a file with identifiers"
            onFile={async (file) => {
              setUnread('')
              const text = file === undefined ? '' : await readTextFile(file, 2 * 1024 * 1024).catch(() => undefined)
              if (text === undefined) setUnread('The file could not be read. Save it as UTF-8')
              change(text ?? '')
            }}
          />
        </>
      )}
    </Field>
  )
}

const about: Readonly<Record<PrivacyKind, string>> = {
  delete: 'Removes profiles, events, and deliveries. Later events create a new profile.',
  suppress: 'Keeps what is stored. Later events no longer update a profile.',
  delete_and_suppress: 'Removes profiles, events, and deliveries. Later events no longer create a profile.',
}

const Fields = ({ form }: { form: ReturnType<typeof useApiForm<NewRequest>> }) => {
  const { kind, identifier } = useFormState(form, ({ values }) => values)
  return (
    <>
      <SelectField name="kind" label="Request" required hint={about[kind]}>
        <Options of={privacyKinds} title={(each) => kindTitles[each]} />
      </SelectField>
      <SelectField name="identifier" label="Kind of identifier" required>
        {Object.entries(kinds).map(([id, title]) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </SelectField>
      {identifier === 'external' && (
        <TextField name="type" label="Type" required hint="As in context.externalIds." autoComplete="off" />
      )}
      <ValuesField />
    </>
  )
}

const RequestForm = ({ onClose, onAsk }: { onClose: () => void; onAsk: (request: NewPrivacyRequest) => void }) => {
  const form = useApiForm<NewRequest>(newRequest, { kind: 'delete', identifier: 'user_id', type: '', values: '' })
  return (
    <Form
      form={form}
      onSubmit={async (values) => onAsk(requestOf(values))}
      label="Privacy request"
      className="space-y-4"
    >
      <Fields form={form} />
      <div className="flex justify-end gap-2 pt-1">
        <Button onClick={onClose}>Cancel</Button>
        <SubmitButton>Continue</SubmitButton>
      </div>
    </Form>
  )
}

/** Asks for the users of a privacy request and its kind. `onAsk` receives the entered values; nothing is sent yet. */
export const NewRequestDialog = ({
  open,
  onClose,
  onAsk,
}: {
  open: boolean
  onClose: () => void
  onAsk: (request: NewPrivacyRequest) => void
}) => (
  <Dialog
    open={open}
    onClose={onClose}
    title="New privacy request"
    description="Each identifier stands for one user, with all other identifiers of the same profile."
  >
    <RequestForm onClose={onClose} onAsk={onAsk} />
  </Dialog>
)
