import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type CheckedOwnConnector, genericTitle, type OwnConnector } from '@tributary/contract'
import { Download, Trash2 } from 'lucide-react'
import { type RefObject, useRef, useState } from 'react'
import { useParams } from 'react-router'
import { DetailPage } from '../../../components/detail-page.tsx'
import { LeaveGuard } from '../../../components/leave-guard.tsx'
import { ReadOnlyNote } from '../../../components/settings/read-only-note.tsx'
import { TitleCard } from '../../../components/settings/title-card.tsx'
import { failureText } from '../../../lib/api/errors.ts'
import { lineOf } from '../../../lib/format/json-places.ts'
import { paths } from '../../../lib/paths.ts'
import { ownCheckQuery, ownConnectorQuery } from '../../../lib/queries/own-connector-queries.ts'
import { useMayEdit, useWorkspace } from '../../../lib/workspace.ts'
import { Alert } from '../../../ui/alert.tsx'
import { AppIcon } from '../../../ui/app-icon.tsx'
import { Badge } from '../../../ui/badge.tsx'
import { Button, ButtonLink } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { CodeEditor, type CodeHandle } from '../../../ui/code/code-editor.tsx'
import { CopyButton } from '../../../ui/code/copy-button.tsx'
import { Textarea } from '../../../ui/forms/input.tsx'
import { EmptyState } from '../../../ui/page/empty-state.tsx'
import { lazyPart } from '../../../ui/page/lazy-part.tsx'
import { PageHeader } from '../../../ui/page/page-header.tsx'
import { type TabItem, Tabs } from '../../../ui/tabs.tsx'
import { Affected, offsetOfPlace, Problems, Vectors } from './check-panels.tsx'
import { DeleteOwnDialog } from './delete-own.tsx'
import { OwnState } from './own-connectors-page.tsx'
import { type OwnDraft, useOwnDraft } from './own-draft.ts'
import { useExportOwn } from './own-mutations.ts'
import { PublishDialog } from './publish-dialog.tsx'
import { VersionsPanel } from './versions-panel.tsx'

const Preview = lazyPart(async () => (await import('./preview.tsx')).Preview)
const TryPanel = lazyPart(async () => (await import('./try-panel.tsx')).TryPanel)

type Checking = { checked: CheckedOwnConnector | undefined; failed: Error | null; stale: boolean }

/** Checks the texts of the editor whenever typing pauses. The last result stays until the next one. */
const useCheck = (own: OwnConnector, draft: OwnDraft, mayEdit: boolean): Checking => {
  const query = useQuery({
    ...ownCheckQuery(own.name, draft.texts),
    enabled: mayEdit,
    placeholderData: keepPreviousData,
  })
  return { checked: query.data, failed: query.error, stale: query.isFetching }
}

const Conflict = ({ draft }: { draft: OwnDraft }) => {
  if (draft.error === null) return null
  if (!draft.conflict)
    return <Alert className="mb-4 text-sm">The draft was not saved: {failureText(draft.error)}</Alert>
  return (
    <div
      role="alert"
      className="mb-4 flex flex-wrap items-center gap-2 rounded-lg bg-warning-soft px-4 py-3 text-sm text-warning-ink"
    >
      <span className="min-w-0 flex-1 basis-60">Another user has saved this draft in the meantime.</span>
      <Button onClick={() => void draft.takeTheirs()}>Load that draft</Button>
      <Button onClick={() => void draft.keepMine()}>Save mine over it</Button>
    </div>
  )
}

const Editor = ({
  draft,
  checked,
  mayEdit,
  editor,
  part,
  onPart,
}: {
  draft: OwnDraft
  checked: CheckedOwnConnector | undefined
  mayEdit: boolean
  editor: RefObject<CodeHandle | null>
  part: string
  onPart: (part: string) => void
}) => {
  const { description, guide } = draft.texts
  const first = checked?.problems.find(({ path }) => path !== 'guide')
  const line = first === undefined ? undefined : lineOf(description, offsetOfPlace(description, first.path)).line
  return (
    <Tabs
      label="Parts"
      chosen={[part, onPart]}
      tabs={[
        {
          id: 'description',
          name: 'Description',
          content: (
            <div className="space-y-2">
              <CodeEditor
                ref={editor}
                language="json"
                label="Description as JSON"
                value={description}
                readOnly={!mayEdit}
                onChange={(text) => draft.change({ description: text })}
                mistakeLine={line}
                className="h-[min(44rem,70dvh)] max-sm:h-[50dvh]"
              />
              <div className="flex flex-wrap items-center gap-3">
                <CopyButton text={description} name="Copy description" label="Copy" notice="Description copied" />
                <span className="text-xs text-ink-3">
                  {mayEdit && 'Ctrl+S saves. '}Press Escape, then Tab to leave the editor.
                </span>
              </div>
            </div>
          ),
        },
        {
          id: 'guide',
          name: 'Guide',
          content: (
            <div className="space-y-2">
              <Textarea
                aria-label="Guide"
                rows={18}
                readOnly={!mayEdit}
                value={guide}
                className="font-mono text-xs"
                placeholder={'## Create a key\nOpen the settings of the service, and create a key.'}
                onChange={({ target }) => draft.change({ guide: target.value })}
              />
              <p className="text-xs text-ink-3">Markdown. Each heading of level two (##) begins a step.</p>
            </div>
          ),
        },
      ]}
    />
  )
}

const Waiting = ({ failed }: { failed: Error | null }) =>
  failed === null ? (
    <p aria-busy className="text-sm text-ink-3">
      Checking…
    </p>
  ) : (
    <Alert className="text-sm">{failureText(failed)}</Alert>
  )

const sideTabs = (
  own: OwnConnector,
  draft: OwnDraft,
  { checked, failed, stale }: Checking,
  onGo: (offset: number) => void,
): TabItem[] => {
  const text = draft.texts.description
  const problems = checked?.problems.length ?? 0
  const failing = checked?.vectors.filter(({ ok }) => !ok).length ?? 0
  const noApp = (
    <EmptyState title="The description has problems" className="py-8">
      This appears once they are fixed.
    </EmptyState>
  )
  const app = checked?.app ?? null
  return [
    {
      id: 'problems',
      name: 'Problems',
      badge: problems > 0 && <Badge tone="danger">{problems}</Badge>,
      content:
        checked === undefined ? (
          <Waiting failed={failed} />
        ) : (
          <div className={stale ? 'opacity-60' : ''}>
            {failed !== null && <Alert className="mb-3 text-sm">{failureText(failed)}</Alert>}
            <Problems checked={checked} text={text} onGo={onGo} />
            <Affected checked={checked} />
          </div>
        ),
    },
    {
      id: 'preview',
      name: 'Preview',
      hash: 'preview',
      content:
        checked === undefined ? <Waiting failed={failed} /> : app === null ? noApp : <Preview app={app} text={text} />,
    },
    {
      id: 'vectors',
      name: 'Vectors',
      hash: 'vectors',
      badge: failing > 0 && <Badge tone="danger">{failing}</Badge>,
      content:
        checked === undefined ? (
          <Waiting failed={failed} />
        ) : app === null ? (
          noApp
        ) : (
          <Vectors checked={checked} text={text} onGo={onGo} />
        ),
    },
    {
      id: 'try',
      name: 'Try it',
      hash: 'try',
      content:
        checked === undefined ? (
          <Waiting failed={failed} />
        ) : app === null ? (
          noApp
        ) : (
          // Other settings are another form.
          <TryPanel key={JSON.stringify(app.settings)} own={own} draft={draft} app={app} />
        ),
    },
  ]
}

/** The results of the check, and the versions. Readers see only the versions. */
const Side = ({
  own,
  draft,
  checking,
  mayEdit,
  onGo,
}: {
  own: OwnConnector
  draft: OwnDraft
  checking: Checking
  mayEdit: boolean
  onGo: (offset: number) => void
}) => {
  const versions: TabItem = {
    id: 'versions',
    name: 'Versions',
    hash: 'versions',
    content: <VersionsPanel own={own} onRestore={mayEdit ? draft.change : undefined} />,
  }
  return (
    <Tabs browsable label="Check" tabs={mayEdit ? [...sideTabs(own, draft, checking, onGo), versions] : [versions]} />
  )
}

const Actions = ({ own, draft, checking }: { own: OwnConnector; draft: OwnDraft; checking: Checking }) => {
  const exported = useExportOwn(own.name)
  const [open, setOpen] = useState<'publish' | 'delete'>()
  const { checked } = checking
  const publishable = !draft.dirty && own.is_changed && checked?.ok === true
  return (
    <>
      {own.app !== '' && (
        <ButtonLink to={paths.newDestination(`workspaces/${own.name.split('/')[1] ?? ''}`, own.app)}>
          Add destination
        </ButtonLink>
      )}
      <Button
        square
        aria-label="Export"
        title="Export the saved draft"
        loading={exported.isPending}
        onClick={() => exported.mutate(undefined)}
      >
        <Download aria-hidden />
      </Button>
      <Button square aria-label="Delete" title="Delete" onClick={() => setOpen('delete')}>
        <Trash2 aria-hidden />
      </Button>
      {draft.dirty && (
        <Button disabled={draft.saving} onClick={draft.discard}>
          Discard
        </Button>
      )}
      <Button loading={draft.saving} disabled={!draft.dirty} onClick={() => void draft.save()}>
        Save draft
      </Button>
      <Button
        variant="primary"
        disabled={!publishable}
        title={draft.dirty ? 'Save the draft first' : own.is_changed ? '' : 'The draft is the published version'}
        onClick={() => setOpen('publish')}
      >
        Publish
      </Button>
      {open === 'publish' && (
        <PublishDialog own={own} revision={draft.revision} checked={checked} onClose={() => setOpen(undefined)} />
      )}
      {open === 'delete' && <DeleteOwnDialog own={own} onClose={() => setOpen(undefined)} />}
    </>
  )
}

const View = ({ item: own }: { item: OwnConnector }) => {
  const workspace = useWorkspace()
  const mayEdit = useMayEdit() === true
  const draft = useOwnDraft(own, mayEdit)
  const checking = useCheck(own, draft, mayEdit)
  const editor = useRef<CodeHandle>(null)
  const [part, setPart] = useState('description')
  const go = (offset: number): void => {
    setPart('description')
    // The editor may only now be in the page.
    requestAnimationFrame(() => editor.current?.select(offset))
  }
  return (
    <>
      <PageHeader
        title={own.title}
        description={
          <span className="inline-flex flex-wrap items-center gap-2">
            <OwnState own={own} />
            {draft.dirty && <span>Not saved</span>}
          </span>
        }
        icon={<AppIcon icon={own.app_icon} size="lg" />}
        crumbs={[
          { label: 'Destinations', to: paths.destinations(workspace.name) },
          { label: 'Your own', to: paths.ownConnectors(workspace.name) },
        ]}
        action={mayEdit && <Actions own={own} draft={draft} checking={checking} />}
      />
      <div className="mb-4 empty:hidden">
        <ReadOnlyNote />
      </div>
      <Conflict draft={draft} />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="min-w-0 xl:sticky xl:top-4">
          <Editor
            draft={draft}
            checked={checking.checked}
            mayEdit={mayEdit}
            editor={editor}
            part={part}
            onPart={setPart}
          />
        </div>
        <Card>
          <Side own={own} draft={draft} checking={checking} mayEdit={mayEdit} onGo={go} />
        </Card>
      </div>
      {mayEdit && (
        <div className="mt-5 max-w-2xl">
          <TitleCard key={own.title} title={own.title} rule={genericTitle} mayEdit onSave={draft.rename} />
        </div>
      )}
      <LeaveGuard dirty={draft.dirty}>Your changes of the draft are lost.</LeaveGuard>
    </>
  )
}

/** The editor of a destination that the workspace describes itself. */
export const OwnConnectorPage = () => {
  const workspace = useWorkspace()
  const { ownConnectorId = '' } = useParams()
  const query = useQuery(ownConnectorQuery(`${workspace.name}/ownConnectors/${ownConnectorId}`))
  return <DetailPage query={query} errorTitle="Failed to load the destination" View={View} />
}
