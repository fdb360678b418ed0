import { useState } from 'react'
import { Field } from '../../ui/field.tsx'
import { TemplateEditor } from '../../ui/template-editor.tsx'

/** A template as it is written, wrong, and for those who may only read it. */
export const KitTemplate = () => {
  const [template, setTemplate] = useState('{\n  "event": "Ticket {{ body.state | upcase }}"\n}')
  return (
    <div className="grid w-full gap-6 md:grid-cols-2">
      <Field label="Template" hint="Liquid that renders to JSON">
        {(control) => <TemplateEditor control={control} value={template} onChange={setTemplate} />}
      </Field>
      <Field
        label="Wrong template"
        error={'Error at >> 1| {{ body | shout }}\n      ^\nundefined filter: shout'}
        errorAsCode
      >
        {(control) => <TemplateEditor control={control} value="{{ body | shout }}" onChange={() => {}} disabled />}
      </Field>
    </div>
  )
}
