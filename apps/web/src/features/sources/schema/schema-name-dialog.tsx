import {
  nameProblem,
  type PropertyType,
  propertyTypes,
  type Requirement,
  requirements,
  schemaLimits,
} from '@tributary/contract'
import { type ReactNode, useMemo } from 'react'
import { z } from 'zod'
import { useApiForm } from '../../../components/api-form.ts'
import { Button } from '../../../ui/button.tsx'
import { Form, SelectField, SubmitButton, TextField } from '../../../ui/forms/form.tsx'
import { useFirstField } from '../../../ui/forms/form-state.ts'
import { Options } from '../../../ui/forms/options.tsx'
import { Dialog } from '../../../ui/overlays/dialog.tsx'
import { useOpened } from '../../../ui/overlays/use-opened.ts'

export type NamedProperty = { name: string; type: PropertyType; requirement: Requirement }

/** Returns the rule for a new name: it must be valid in a schema and unused. */
const formOf = (taken: ReadonlyMap<string, unknown>, kind: 'event' | 'property') =>
  z.object({
    name: z
      .string()
      .trim()
      .superRefine((name, context) => {
        const message =
          nameProblem(name) ??
          (taken.has(name)
            ? `There is already ${kind === 'event' ? 'an event' : 'a property'} with this name`
            : undefined)
        if (message !== undefined) context.addIssue({ code: 'custom', message })
      }),
    type: z.enum(propertyTypes),
    requirement: z.enum(requirements),
  })

export type NameDialogProps = {
  title: string
  description?: ReactNode
  /** The kind of the name: "event" or "property". */
  kind: 'event' | 'property'
  /** The names in use. The name `initial` is allowed in any case. */
  taken: ReadonlyMap<string, unknown>
  initial?: string
  /** Whether the dialog also asks for type and requirement. */
  typed?: boolean
  confirm: string
  onName: (named: NamedProperty) => void
  onClosed: () => void
}

const NameForm = ({
  kind,
  taken,
  initial = '',
  typed = false,
  confirm,
  onName,
  onClose,
  full,
}: Omit<NameDialogProps, 'title' | 'description' | 'onClosed'> & { onClose: () => void; full: string | undefined }) => {
  const rule = useMemo(() => {
    const others = new Map(taken)
    if (confirm === 'Rename') others.delete(initial)
    return formOf(others, kind)
  }, [taken, initial, confirm, kind])
  const form = useApiForm<NamedProperty>(rule, { name: initial, type: 'string', requirement: 'optional' })
  useFirstField(form, 'name')
  const submit = (named: NamedProperty): Promise<void> => {
    onName(named)
    onClose()
    return Promise.resolve()
  }
  return (
    <Form form={form} onSubmit={submit} label={confirm} className="space-y-4">
      <TextField
        name="name"
        label={kind === 'event' ? 'Event name' : 'Property name'}
        required
        autoComplete="off"
        spellCheck={false}
        autoCapitalize="off"
        hint="Exactly as sent. Case-sensitive."
      />
      {typed && (
        <div className="grid grid-cols-2 gap-4">
          <SelectField name="type" label="Type">
            <Options of={propertyTypes} />
          </SelectField>
          <SelectField name="requirement" label="Requirement">
            <Options of={requirements} />
          </SelectField>
        </div>
      )}
      {full !== undefined && <p className="text-xs text-danger-ink">{full}</p>}
      <div className="flex justify-end gap-2 pt-1">
        <Button onClick={onClose}>Cancel</Button>
        <SubmitButton disabled={full !== undefined}>{confirm}</SubmitButton>
      </div>
    </Form>
  )
}

/** Asks for the name of a new or renamed event or property. An invalid name has its error under its field. */
export const NameDialog = ({ title, description, onClosed, ...rest }: NameDialogProps) => {
  const { close, dialog } = useOpened(onClosed)
  const most = rest.kind === 'event' ? schemaLimits.events : schemaLimits.properties
  const isFull = rest.confirm !== 'Rename' && rest.taken.size >= most
  return (
    <Dialog {...dialog} size="sm" title={title} {...(description === undefined ? {} : { description })}>
      <NameForm
        {...rest}
        onClose={close}
        full={isFull ? `The limit of ${most} is reached. Remove one to add another.` : undefined}
      />
    </Dialog>
  )
}
