import { useQuery } from '@tanstack/react-query'
import { descriptionOfCurl, editors, ownConnectorLimits } from '@tributary/contract'
import { type DragEvent, type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router'
import { RequireAccess } from '../../../components/require-access.tsx'
import { failureText } from '../../../lib/api/errors.ts'
import { paths } from '../../../lib/paths.ts'
import { catalogDestinationsQuery } from '../../../lib/queries/workspace-queries.ts'
import { readTextFile } from '../../../lib/read-text-file.ts'
import { useWorkspace } from '../../../lib/workspace.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { cn } from '../../../ui/cn.ts'
import { Field } from '../../../ui/forms/field.tsx'
import { FileInput } from '../../../ui/forms/file-input.tsx'
import { Textarea } from '../../../ui/forms/input.tsx'
import { SearchSelect } from '../../../ui/forms/search-select.tsx'
import { PageHeader } from '../../../ui/page/page-header.tsx'
import { CardSkeleton } from '../../../ui/page/skeleton.tsx'
import { useCreateOwn } from './own-mutations.ts'

type Start = { create: (body: { title?: string; from?: string; file?: string }) => void; busy: boolean }

const FromCurl = ({ create, busy }: Start) => {
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string>()
  const use = (): void => {
    const reading = descriptionOfCurl(text)
    if (!reading.ok) return setProblem(reading.message)
    create({ title: reading.title, file: reading.description })
  }
  return (
    <Card
      title="A cURL command"
      description="Paste an example of the API's documentation. Keys become secret settings, and members of the body become fields."
      footer={
        <Button variant="primary" loading={busy} onClick={use}>
          Use this command
        </Button>
      }
    >
      <Field label="cURL command" error={problem}>
        {(control) => (
          <Textarea
            {...control}
            rows={8}
            spellCheck={false}
            autoCapitalize="off"
            className="font-mono text-xs"
            placeholder={
              'curl https://api.example.com/v1/events \\\n  -H "Authorization: Bearer <token>" \\\n  --json \'{"event": "Order Completed"}\''
            }
            value={text}
            onChange={({ target }) => {
              setText(target.value)
              setProblem(undefined)
            }}
          />
        )}
      </Field>
    </Card>
  )
}

const FromFile = ({ create, busy }: Start) => {
  const [problem, setProblem] = useState<string>()
  const [over, setOver] = useState(false)
  const use = async (file: File | undefined): Promise<void> => {
    setProblem(undefined)
    if (file === undefined) return
    if (file.size > 2 * ownConnectorLimits.descriptionBytes) return setProblem('The file is too large')
    try {
      create({ file: await readTextFile(file) })
    } catch (error) {
      setProblem(error instanceof Error ? error.message : 'The file cannot be read')
    }
  }
  const drop = (event: DragEvent): void => {
    event.preventDefault()
    setOver(false)
    void use(event.dataTransfer.files[0])
  }
  return (
    <Card title="A file" description="An exported destination, or a description as JSON.">
      <div
        className={cn(
          'rounded-md border border-dashed p-4',
          over ? 'border-accent bg-accent-soft' : 'border-line-strong',
        )}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <p className="mb-2 text-sm text-ink-2">{busy ? 'Reading the file…' : 'Drop a file here, or choose one.'}</p>
        <FileInput label="JSON file" accept=".json,application/json" onFile={(file) => void use(file)} />
      </div>
      {problem !== undefined && <Alert className="mt-2 text-xs">{problem}</Alert>}
    </Card>
  )
}

const FromCatalog = ({ create, busy }: Start) => {
  const workspace = useWorkspace()
  const query = useQuery(catalogDestinationsQuery(workspace.name))
  const [from, setFrom] = useState('')
  const options = (query.data ?? [])
    .filter(({ name }) => !name.startsWith('catalogDestinations/own-'))
    .map(({ name, display_name: title, category, extra }) => ({
      value: name,
      title,
      note: category,
      icon: extra.app_icon,
    }))
  return (
    <Card
      title="A built-in destination"
      description="A copy that you can change. Most of the catalog can be copied."
      footer={
        <Button loading={busy} disabled={from === ''} onClick={() => create({ from })}>
          Copy
        </Button>
      }
    >
      <SearchSelect
        label="Built-in destination"
        value={from}
        onChange={setFrom}
        options={options}
        placeholder={query.isPending ? 'Loading…' : 'Choose a destination'}
      />
    </Card>
  )
}

const Starts = (): ReactNode => {
  const workspace = useWorkspace()
  const navigate = useNavigate()
  const create = useCreateOwn(workspace.name)
  const start: Start = {
    create: (body) => create.mutate(body, { onSuccess: (own) => void navigate(paths.ownConnector(own.name)) }),
    busy: create.isPending,
  }
  return (
    <>
      {create.isError && <Alert className="mb-4 text-sm">{failureText(create.error)}</Alert>}
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-2">
        <FromCurl {...start} />
        <div className="min-w-0 space-y-5">
          <Card
            title="A blank description"
            description="Posts each event as JSON to a URL, with a key. Change it as the API needs."
            action={
              <Button loading={start.busy} onClick={() => start.create({})}>
                Start blank
              </Button>
            }
            className="pb-4"
          />
          <FromCatalog {...start} />
          <FromFile {...start} />
        </div>
      </div>
    </>
  )
}

/** The page on which users choose what their own destination begins with. */
export const NewOwnConnectorPage = () => {
  const workspace = useWorkspace()
  return (
    <RequireAccess allowed={editors} skeleton={<CardSkeleton lines={6} />}>
      <PageHeader
        title="Build a destination"
        description="Choose what to start with. Nothing is sent or visible in the catalog before you publish."
        crumbs={[
          { label: 'Destinations', to: paths.destinations(workspace.name) },
          { label: 'Your own', to: paths.ownConnectors(workspace.name) },
        ]}
      />
      <Starts />
    </RequireAccess>
  )
}
