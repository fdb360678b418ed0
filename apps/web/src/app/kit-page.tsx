import { Inbox, Plus, Settings } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { z } from 'zod'
import { setTheme } from '../lib/ui-store.ts'
import { Avatar } from '../ui/avatar.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button, buttonSizes, buttonVariants } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { ConfirmDialog, type ConfirmKind } from '../ui/confirm-dialog.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorScreen, LastResort, NoAccess } from '../ui/error-screen.tsx'
import { Form, SelectField, SubmitButton, TextField, useApiForm } from '../ui/form.tsx'
import { SearchInput, Textarea } from '../ui/input.tsx'
import { Menu, MenuItem, MenuSeparator } from '../ui/menu.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { TableSkeleton } from '../ui/skeleton.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { Switch } from '../ui/switch.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { notify } from '../ui/toast.tsx'
import { Tooltip } from '../ui/tooltip.tsx'

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <Card title={title}>
    <div className="flex flex-wrap items-center gap-3">{children}</div>
  </Card>
)

const schema = z.object({
  email: z.email('Invalid email'),
  password: z.string().min(1, 'Password is required'),
  role: z.string(),
})

const ExampleForm = () => {
  const form = useApiForm<z.infer<typeof schema>>(schema, { email: '', password: '', role: 'guest' })
  return (
    <Form
      form={form}
      label="Example"
      className="w-full max-w-sm space-y-4"
      onSubmit={() => Promise.reject(new Error('The server said no.'))}
    >
      <TextField name="email" label="Email" required hint="Your work address" />
      <TextField name="password" label="Password" type="password" required />
      <SelectField name="role" label="Role">
        <option value="guest">Guest</option>
        <option value="admin">Administrator</option>
      </SelectField>
      <SubmitButton>Save Changes</SubmitButton>
    </Form>
  )
}

type Fruit = { name: string; price: number }
const fruits: readonly Fruit[] = [
  { name: 'Quince', price: 12 },
  { name: 'Apple', price: 3 },
  { name: 'Medlar', price: 40 },
]
const nothing: readonly Fruit[] = []
const columns: readonly Column<Fruit>[] = [
  { id: 'name', header: 'Name', value: (row) => row.name, cell: (row) => row.name },
  { id: 'price', header: 'Price', value: (row) => row.price, cell: (row) => `${row.price} €`, align: 'right' },
]

const Dialogs = () => {
  const [open, setOpen] = useState(false)
  const [kind, setKind] = useState<ConfirmKind>('danger')
  const [asking, setAsking] = useState(false)
  const kinds: readonly ConfirmKind[] = ['danger', 'info', 'neutral', 'success']
  return (
    <>
      <Button onClick={() => setOpen(true)}>Dialog</Button>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        title="A dialog"
        description="With a description"
        footer={<Button onClick={() => setOpen(false)}>Close</Button>}
      >
        Its content scrolls when it is long.
      </Dialog>
      {kinds.map((each) => (
        <Button
          key={each}
          onClick={() => {
            setKind(each)
            setAsking(true)
          }}
        >
          Confirm {each}
        </Button>
      ))}
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        kind={kind}
        title="Are you sure?"
        confirmLabel="Do it"
        onConfirm={() => setAsking(false)}
      >
        This is what will happen.
      </ConfirmDialog>
    </>
  )
}

const Controls = () => {
  const [on, setOn] = useState(true)
  return (
    <>
      <Switch checked={on} onChange={setOn} label="Example" />
      <SearchInput label="Search" />
      <Textarea aria-label="Text" defaultValue="Several lines" className="max-w-xs" />
      <Menu
        trigger={
          <Button>
            <Settings aria-hidden />
            Menu
          </Button>
        }
      >
        <MenuItem icon={<Plus />}>Add</MenuItem>
        <MenuItem disabled tooltip="Only administrators can do this">
          Disabled
        </MenuItem>
        <MenuSeparator />
        <MenuItem danger>Delete</MenuItem>
      </Menu>
      <Tooltip text="An explanation">
        <Button>Tooltip</Button>
      </Tooltip>
      <Button onClick={() => notify('success', 'Source Created')}>Success</Button>
      <Button onClick={() => notify('info', 'Your session has been expired, please login again')}>Info</Button>
      <Button onClick={() => notify('error', 'Error', { description: 'The store is starting', timeout: false })}>
        Error, stays
      </Button>
    </>
  )
}

const Looks = () => (
  <>
    <Part title="Buttons">
      {buttonVariants.map((variant) => (
        <Button key={variant} variant={variant}>
          {variant}
        </Button>
      ))}
      {buttonSizes.map((size) => (
        <Button key={size} size={size} variant="primary">
          Size {size}
        </Button>
      ))}
      <Button variant="primary" loading>
        Loading
      </Button>
      <Button variant="primary" disabled>
        Disabled
      </Button>
    </Part>
    <Part title="Badges, avatars, spinners">
      <Badge>neutral</Badge>
      <Badge tone="accent">Prod</Badge>
      <Badge tone="success" dot>
        Receiving
      </Badge>
      <Badge tone="warning">Test</Badge>
      <Badge tone="danger">Rejected</Badge>
      <Badge tone="outline">Disabled</Badge>
      <Avatar title="Jane Doe" />
      <Avatar title="Acme" round="md" size="md" />
      <Avatar />
      <Spinner size="xs" />
      <Spinner size="sm" />
      <Spinner size="md" />
      <Spinner size="lg" />
      <Spinner size="xl" />
    </Part>
  </>
)

/** The kit, alive: every component in its states. Only in development builds, at /dev/ui. */
export const KitPage = () => (
  <main className="mx-auto max-w-5xl space-y-6 px-6 py-10">
    <PageHeader
      title="Design system"
      documentTitle="Design system"
      description="Every component in its states."
      action={
        <>
          <Button onClick={() => setTheme('light')}>Light</Button>
          <Button onClick={() => setTheme('dark')}>Dark</Button>
        </>
      }
    />
    <Looks />
    <Part title="Controls and notices">
      <Controls />
    </Part>
    <Part title="Dialogs">
      <Dialogs />
    </Part>
    <Part title="Form">
      <ExampleForm />
    </Part>
    <Tabs
      label="Example"
      browsable
      tabs={[
        {
          id: 'one',
          name: 'Table',
          content: <DataTable label="Fruits" columns={columns} rows={fruits} rowId={(row) => row.name} />,
        },
        {
          id: 'two',
          name: 'Empty table',
          hash: 'empty',
          content: <DataTable label="Nothing" columns={columns} rows={nothing} rowId={(row) => row.name} />,
        },
        { id: 'three', name: 'Loading', hash: 'loading', content: <TableSkeleton /> },
      ]}
    />
    <CodeBlock
      codes={[
        {
          title: 'JSON',
          language: 'json',
          text: '{\n  "event": "Order Completed",\n  "total": 12.5,\n  "paid": true\n}',
        },
        { title: 'Shell', language: 'shell', text: 'npm start' },
      ]}
    />
    <EmptyState icon={<Inbox />} title="Nothing here yet" action={<Button variant="primary">Add one</Button>}>
      What this place is for and what to do next.
    </EmptyState>
    <ErrorScreen error={new Error('The store did not answer.')} onRetry={() => undefined} />
    <NoAccess />
    <LastResort />
  </main>
)
