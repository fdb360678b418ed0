import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { methods, parseSourceSchema, type SchemaVersion, type SourceSchema } from '@tributary/contract'
import { ArrowLeft, Download, History } from 'lucide-react'
import { useMemo, useState } from 'react'
import { ErrorScreen } from '../../../../components/error-screen.tsx'
import { QueryView } from '../../../../components/query-view.tsx'
import { useAttempt } from '../../../../components/use-attempt.ts'
import { sourceIds } from '../../../../lib/format/names.ts'
import { count, pluralise } from '../../../../lib/format/text.ts'
import { query } from '../../../../lib/queries/query.ts'
import { schemaVersionsQuery } from '../../../../lib/queries/schema-queries.ts'
import { Badge } from '../../../../ui/badge.tsx'
import { Button } from '../../../../ui/button.tsx'
import { Select } from '../../../../ui/forms/input.tsx'
import { ConfirmDialog } from '../../../../ui/overlays/confirm-dialog.tsx'
import { SlideOver } from '../../../../ui/overlays/slide-over.tsx'
import { useOpened } from '../../../../ui/overlays/use-opened.ts'
import { EmptyState } from '../../../../ui/page/empty-state.tsx'
import { CardSkeleton } from '../../../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../../../ui/relative-time.tsx'
import { saveSchemaFile, schemaFileName } from '../import/schema-file.ts'
import { diffSchemas, diffWords } from './schema-diff.ts'
import { SchemaDiff } from './schema-diff-view.tsx'
import type { Versioned } from './schema-draft.ts'

/** One version of a source's schema with its text; a version never changes. */
const schemaVersionQuery = (source: string, version: number) =>
  query(
    methods.schemaVersions.get,
    { params: { ...sourceIds(source), version: String(version) } },
    { staleTime: Number.POSITIVE_INFINITY },
  )

const changeWords: Record<SchemaVersion['change'], string> = {
  created: 'Created',
  edited: 'Edited',
  property: 'Property changed',
  imported: 'Imported',
  inferred: 'Inferred from events',
  restored: 'Restored',
}

/** The displayed author of a version. */
export const authorOf = ({ author }: Pick<SchemaVersion, 'author'>): string => author?.display_name ?? 'Tributary'

const sizeOf = ({ event_count: events, property_count: properties }: SchemaVersion): string =>
  `${count(events)} ${pluralise(events, 'event')}, ${count(properties)} ${properties === 1 ? 'property' : 'properties'}`

const VersionRow = ({
  version,
  isCurrent,
  onOpen,
}: {
  version: SchemaVersion
  isCurrent: boolean
  onOpen: () => void
}) => (
  <li>
    <button
      type="button"
      onClick={onOpen}
      className="w-full px-4 py-3 text-left hover:bg-hover focus-visible:-outline-offset-2"
    >
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="text-sm font-medium">Version {version.version}</span>
        {isCurrent && <Badge tone="success">Current</Badge>}
        <Badge>{changeWords[version.change]}</Badge>
        <RelativeTime time={version.create_time} className="ml-auto text-xs text-ink-3" />
      </span>
      <span className="mt-0.5 block text-xs break-words text-ink-2">
        {authorOf(version)} · {sizeOf(version)}
      </span>
    </button>
  </li>
)

const RestoreDialog = ({
  version,
  open,
  onOpenChange,
  onRestore,
}: {
  version: number
  open: boolean
  onOpenChange: (open: boolean) => void
  onRestore: () => Promise<void>
}) => {
  const { pending, failure, attempt } = useAttempt()
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={onOpenChange}
      kind="info"
      title={`Restore version ${version}?`}
      confirmLabel="Restore"
      loading={pending}
      error={failure}
      onConfirm={() => void attempt(onRestore)}
    >
      This saves a new version with the schema of version {version}. New events are checked against it. The current
      version stays in the history.
    </ConfirmDialog>
  )
}

/** Which version the selected version is compared with: the one before it, or the current one. */
type Against = 'before' | 'current'

/** The schema of a version, with its changes to the version before it or to the current one. */
const useVersionChanges = (source: string, version: number, current: Versioned, against: Against) => {
  const own = useQuery(schemaVersionQuery(source, version))
  const other = useQuery({ ...schemaVersionQuery(source, version - 1), enabled: against === 'before' && version > 1 })
  const schema = useMemo(() => (own.data === undefined ? undefined : parseSourceSchema(own.data.schema)), [own.data])
  const changes = useMemo(() => {
    if (schema === undefined) return undefined
    if (against === 'current') return diffSchemas(schema, current.schema)
    return other.data === undefined ? undefined : diffSchemas(parseSourceSchema(other.data.schema), schema)
  }, [schema, against, current, other.data])
  return { schema, changes, failed: own.isError ? own : against === 'before' && other.isError ? other : undefined }
}

const VersionDetail = ({
  source,
  title,
  version,
  current,
  onBack,
  onRestore,
}: {
  source: string
  title: string
  version: SchemaVersion
  current: Versioned
  onBack: () => void
  /** Undefined for users who can only read, and for the current version. */
  onRestore: ((schema: SourceSchema) => Promise<unknown>) | undefined
}) => {
  const isFirst = version.version <= 1
  const [against, setAgainst] = useState<Against>(isFirst ? 'current' : 'before')
  const [asks, setAsks] = useState(false)
  const { schema, changes, failed } = useVersionChanges(source, version.version, current, against)
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center gap-2">
        <Button variant="none" size="sm" onClick={onBack} className="-ml-2">
          <ArrowLeft aria-hidden />
          All versions
        </Button>
        <span className="ml-auto flex flex-wrap gap-2">
          <Button
            size="sm"
            disabled={schema === undefined}
            onClick={() => {
              if (schema !== undefined) saveSchemaFile(schemaFileName(title, version.version), schema)
            }}
          >
            <Download aria-hidden />
            Export
          </Button>
          {onRestore !== undefined && (
            <Button size="sm" variant="primary" disabled={schema === undefined} onClick={() => setAsks(true)}>
              <History aria-hidden />
              Restore this version
            </Button>
          )}
        </span>
      </div>
      <p className="text-sm text-ink-2">
        {changeWords[version.change]} by {authorOf(version)} <RelativeTime time={version.create_time} />.{' '}
        {sizeOf(version)}.
      </p>
      <Select
        aria-label="Compare"
        value={against}
        className="max-w-xs"
        onChange={(event) => setAgainst(event.currentTarget.value === 'current' ? 'current' : 'before')}
      >
        {!isFirst && <option value="before">Changes in this version</option>}
        <option value="current">Changes since this version</option>
      </Select>
      {failed !== undefined ? (
        <ErrorScreen error={failed.error} onRetry={() => void failed.refetch()} title="Failed to load the version" />
      ) : changes === undefined ? (
        <CardSkeleton lines={4} />
      ) : (
        <>
          <p className="text-sm">{diffWords(changes)}</p>
          {changes.length > 0 && <SchemaDiff label="Changes" changes={changes} />}
        </>
      )}
      {onRestore !== undefined && schema !== undefined && (
        <RestoreDialog
          version={version.version}
          open={asks}
          onOpenChange={setAsks}
          onRestore={async () => {
            await onRestore(schema)
            setAsks(false)
            onBack()
          }}
        />
      )}
    </div>
  )
}

/** The versions of a source's schema: author, time and reason of each, its changes, and a way to restore it. */
export const HistoryDialog = ({
  source,
  title,
  current,
  first,
  onRestore,
  onClosed,
}: {
  source: string
  title: string
  current: Versioned
  /** The version to show at first. If it is undefined or unknown, the list is shown. */
  first?: number | undefined
  onRestore: ((schema: SourceSchema) => Promise<unknown>) | undefined
  onClosed: () => void
}) => {
  const { dialog } = useOpened(onClosed)
  const [chosen, setShown] = useState<SchemaVersion | 'list' | undefined>()
  const wanted = useQuery({ ...schemaVersionQuery(source, first ?? 0), enabled: first !== undefined })
  const shown = chosen === 'list' ? undefined : (chosen ?? wanted.data)
  const query = useInfiniteQuery(schemaVersionsQuery(source))
  const versions = query.data?.pages.flatMap((page) => page.schema_versions) ?? []
  return (
    <SlideOver {...dialog} size="md" title={shown === undefined ? 'Version history' : `Version ${shown.version}`}>
      {shown !== undefined ? (
        <VersionDetail
          key={shown.version}
          source={source}
          title={title}
          version={shown}
          current={current}
          onBack={() => setShown('list')}
          onRestore={shown.version === current.version ? undefined : onRestore}
        />
      ) : (
        <QueryView query={query} skeleton={<CardSkeleton lines={6} />} errorTitle="Failed to load the versions">
          {() =>
            versions.length === 0 ? (
              <EmptyState title="No versions yet" className="py-8">
                Every change to the schema saves a version that you can view and restore here.
              </EmptyState>
            ) : (
              <>
                <ul
                  aria-label="Versions"
                  className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-surface"
                >
                  {versions.map((version) => (
                    <VersionRow
                      key={version.version}
                      version={version}
                      isCurrent={version.version === current.version}
                      onOpen={() => setShown(version)}
                    />
                  ))}
                </ul>
                {query.hasNextPage && (
                  <Button
                    className="mt-3"
                    loading={query.isFetchingNextPage}
                    onClick={() => void query.fetchNextPage()}
                  >
                    Show older
                  </Button>
                )}
              </>
            )
          }
        </QueryView>
      )}
    </SlideOver>
  )
}
