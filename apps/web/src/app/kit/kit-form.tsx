import { z } from 'zod'
import { useApiForm } from '../../components/api-form.ts'
import { Form, SelectField, SubmitButton, TextField } from '../../ui/forms/form.tsx'
import { SearchSelectField } from '../../ui/forms/search-select.tsx'
import { TagField } from '../../ui/forms/tag-field.tsx'

const schema = z.object({
  name: z.string().min(2),
  email: z.email(),
  password: z.string().min(1, 'Password is required'),
  price: z.string(),
  tags: z.array(z.string()).readonly(),
  role: z.string(),
  source: z.string(),
})

const sources = Array.from({ length: 250 }, (_, index) => ({
  value: `${index}`,
  title: `Source ${index}`,
  note: 'Web',
}))

/** Every kind of field, in a form that the server always refuses. */
export const KitForm = () => {
  const form = useApiForm<z.infer<typeof schema>>(schema, {
    name: '',
    email: '',
    password: '',
    price: '',
    tags: ['first'],
    role: 'guest',
    source: '',
  })
  return (
    <Form
      form={form}
      label="Example"
      className="w-full max-w-sm space-y-4"
      onSubmit={() => Promise.reject(new Error('The server said no to `role`.'))}
    >
      <TextField name="name" label="Name" required placeholder="Jane Doe" autoComplete="off" />
      <TextField name="email" label="Email" required hint="Your work address" autoComplete="off" />
      <TextField name="password" label="Password" type="password" required autoComplete="off" />
      <TextField name="price" label="Price" type="price" hint="For each month" />
      <TagField name="tags" label="Tags" hint="Tab or Enter adds what is typed." />
      <SelectField name="role" label="Role">
        <option value="guest">Guest</option>
        <option value="admin">Administrator</option>
      </SelectField>
      <SearchSelectField name="source" label="Source" placeholder="Choose…" options={sources} />
      <SubmitButton>Save Changes</SubmitButton>
    </Form>
  )
}
