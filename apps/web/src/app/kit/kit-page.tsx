import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { compatibilities } from '@tributary/contract'
import { Inbox, Radio, Rows3, Settings } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useSearchParams } from 'react-router'
import { EnvironmentBadge } from '../../components/environment-badge.tsx'
import { ErrorScreen, LastResort, NoAccess } from '../../components/error-screen.tsx'
import { ImageInput } from '../../components/image-input.tsx'
import { CompatibilityIcon } from '../../features/sources/compatibility/compatibility-icon.tsx'
import { setTheme } from '../../lib/browser/ui-store.ts'
import { Avatar, avatarRounds, avatarSizes } from '../../ui/avatar.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button, buttonSizes, buttonVariants } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/code/code-block.tsx'
import { Markup } from '../../ui/code/markup.tsx'
import { SearchInput, Textarea } from '../../ui/forms/input.tsx'
import { Switch } from '../../ui/forms/switch.tsx'
import { type Column, DataTable } from '../../ui/lists/data-table.tsx'
import { EmptyState } from '../../ui/page/empty-state.tsx'
import { PageHeader } from '../../ui/page/page-header.tsx'
import { TableSkeleton } from '../../ui/page/skeleton.tsx'
import { Spinner, spinnerSizes } from '../../ui/page/spinner.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { KitFigures } from './kit-figures.tsx'
import { KitForm } from './kit-form.tsx'
import { KitOverlays } from './kit-overlays.tsx'
import { KitTemplate } from './kit-template.tsx'
import { Part } from './part.tsx'
import { CreatePattern } from './pattern-create.tsx'
import { DetailPattern } from './pattern-detail.tsx'
import { PatternLinks } from './pattern-guide.tsx'
import { ListPattern } from './pattern-list.tsx'
import { OverlaysPattern } from './pattern-overlays.tsx'

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
      <EnvironmentBadge test={false} />
      <Badge tone="success" dot>
        Receiving
      </Badge>
      <EnvironmentBadge test />
      <Badge tone="danger">Rejected</Badge>
      <Badge tone="outline">Disabled</Badge>
      {compatibilities.map((each) => (
        <CompatibilityIcon key={each} compatibility={each} />
      ))}
      {avatarRounds.flatMap((round) =>
        avatarSizes.map((size) => <Avatar key={`${round} ${size}`} title="Jane Doe" round={round} size={size} />),
      )}
      <Avatar />
      {spinnerSizes.map((size) => (
        <Spinner key={size} size={size} />
      ))}
    </Part>
  </>
)

const markup = `A **description** in _light_ markup with \`code\` and [a link](https://example.com/docs).
It keeps its line breaks:

- one point
- another point`

const Controls = () => {
  const [on, setOn] = useState(true)
  const [image, setImage] = useState('')
  const pick = (file: File): Promise<void> => {
    setImage(URL.createObjectURL(file))
    return Promise.resolve()
  }
  const remove = (): Promise<void> => {
    setImage('')
    return Promise.resolve()
  }
  return (
    <>
      <Switch checked={on} onChange={setOn} label="Example" />
      <SearchInput label="Search" />
      <Textarea aria-label="Text" defaultValue="Several lines" className="max-w-xs" />
      <ImageInput label="Logo" image={image} title="Acme" onPick={pick} onRemove={remove} />
    </>
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

const Tables = () => (
  <Tabs
    label="Example"
    browsable
    tabs={[
      {
        id: 'one',
        name: 'Table',
        icon: <Rows3 aria-hidden />,
        content: <DataTable label="Fruits" columns={columns} rows={fruits} rowId={(row) => row.name} />,
      },
      {
        id: 'two',
        name: 'Empty table',
        icon: <Radio aria-hidden />,
        hash: 'empty',
        content: <DataTable label="Nothing" columns={columns} rows={nothing} rowId={(row) => row.name} />,
      },
      { id: 'three', name: 'Loading', icon: <Settings aria-hidden />, hash: 'loading', content: <TableSkeleton /> },
    ]}
  />
)

const Screens = () => (
  <>
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
  </>
)

const Parts = () => (
  <>
    <PageHeader
      title="Design system"
      description="Every component in its states, and the patterns that pages are made of."
    />
    <Looks />
    <Part title="Controls">
      <Controls />
    </Part>
    <KitOverlays />
    <Part title="Form">
      <KitForm />
    </Part>
    <Part title="Template">
      <KitTemplate />
    </Part>
    <Card title="Description">
      <Markup text={markup} className="text-sm text-ink-2" />
    </Card>
    <Tables />
    <KitFigures />
    <Screens />
  </>
)

const patterns: Readonly<Record<string, () => ReactNode>> = {
  list: ListPattern,
  detail: DetailPattern,
  create: CreatePattern,
  overlays: OverlaysPattern,
}

const cache = new QueryClient()

/**
 * The component gallery: every component in its states, and with `?pattern=list` and so on one pattern with guidance.
 * At /dev/ui of the development server, and as a separate page.
 */
export const KitPage = () => {
  const [search] = useSearchParams()
  const Pattern = patterns[search.get('pattern') ?? ''] ?? Parts
  return (
    <QueryClientProvider client={cache}>
      <main className="mx-auto max-w-5xl space-y-6 px-6 py-10 max-sm:px-4">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <PatternLinks />
          <span className="flex gap-2">
            <Button onClick={() => setTheme('light')}>Light</Button>
            <Button onClick={() => setTheme('dark')}>Dark</Button>
          </span>
        </div>
        <Pattern />
      </main>
    </QueryClientProvider>
  )
}
