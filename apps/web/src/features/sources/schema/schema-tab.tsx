import { useMutation, useQueryClient } from '@tanstack/react-query'
import {
  emptyObject,
  formatSourceSchema,
  methods,
  type ObjectSchema,
  parseSourceSchema,
  type Source,
  type SourceSchema,
  type SourceWithSchema,
  withOwner,
} from '@tributary/contract'
import { FileJson, Plus, Sparkles, Upload, UserRound } from 'lucide-react'
import { type ReactNode, useCallback, useDeferredValue, useMemo, useState } from 'react'
import { useLocation } from 'react-router'
import { call } from '../../../lib/api/client.ts'
import { sourceIds } from '../../../lib/format/names.ts'
import { count, pluralise } from '../../../lib/format/text.ts'
import { track } from '../../../lib/integrations/analytics.ts'
import { schemaVersionsQuery } from '../../../lib/queries/schema-queries.ts'
import { sourceQuery } from '../../../lib/queries/workspace-queries.ts'
import { useMayEdit } from '../../../lib/workspace.ts'
import { Button } from '../../../ui/button.tsx'
import { copyText } from '../../../ui/code/copy-button.tsx'
import { DraftBar } from '../../../ui/forms/draft-bar.tsx'
import { notify } from '../../../ui/overlays/toast.tsx'
import { EmptyState } from '../../../ui/page/empty-state.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { SchemaConflict } from './changes/schema-conflict.tsx'
import { diffWords } from './changes/schema-diff.ts'
import { HistoryDialog } from './changes/schema-history-dialog.tsx'
import { SchemaReview } from './changes/schema-review.tsx'
import type { SchemaDraft } from './changes/use-schema-draft.ts'
import { saveSchemaFile, schemaFileName } from './import/schema-file.ts'
import { ImportDialog } from './import/schema-import-dialog.tsx'
import { JsonDialog } from './import/schema-json-dialog.tsx'
import { ProposalDialog } from './import/schema-proposal-dialog.tsx'
import { isSchemaChanged, type SchemaOrigin } from './schema-changed.ts'
import { EnforcementSetting } from './schema-enforcement.tsx'
import { missingName, SchemaMissing } from './schema-missing.tsx'
import { SchemaNames } from './schema-names.tsx'
import { ownerIdOf, SchemaOwner } from './schema-owner.tsx'
import { isAdding, type SchemaPlace, schemaPlace } from './schema-place.ts'
import type { NameQuestion, SchemaEditing } from './schema-property-row.tsx'
import { matchingEvents } from './schema-search.ts'
import { type SchemaTool, SchemaToolbar, unsavedNote } from './schema-toolbar.tsx'

/**
 * Saves the whole schema of a source. It is rejected if another user has changed the schema since `version`; their
 * version is then loaded.
 */
const useSaveSchema = (source: Source) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: ({ schema, version, origin }: { schema: SourceSchema; version: number; origin: SchemaOrigin }) =>
      call(methods.sources.update, {
        params: sourceIds(source.name),
        query: { update_mask: 'schema', force_refresh: 'false' },
        body: { schema: formatSourceSchema(schema), schema_version: version, schema_change: origin },
      }),
    onSuccess: (updated) => {
      cache.setQueryData(sourceQuery(source.name).queryKey, updated)
      track('Source Updated', { source: source.name, fields: ['schema'] })
      notify('success', 'Source schema updated')
    },
    onError: (error) => {
      if (isSchemaChanged(error)) void cache.invalidateQueries({ queryKey: sourceQuery(source.name).queryKey })
    },
    onSettled: () => void cache.invalidateQueries({ queryKey: schemaVersionsQuery(source.name).queryKey }),
  })
}

/** The opened events and properties, including those that a link names. */
const useOpened = (wanted: SchemaPlace | undefined, visit: string) => {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const [shownFor, setShownFor] = useState<string | undefined>()
  const open = useCallback((id: string) => setOpened((before) => new Set(before).add(id)), [])
  const toggle = useCallback(
    (id: string) =>
      setOpened((before) => {
        const next = new Set(before)
        if (!next.delete(id)) next.add(id)
        return next
      }),
    [],
  )
  if (wanted !== undefined && shownFor !== visit) {
    setShownFor(visit)
    open(wanted.owner)
  }
  return { opened, open, toggle }
}

const Section = ({ title, note, children }: { title: string; note?: ReactNode; children: ReactNode }) => (
  <section aria-label={title}>
    <div className="mb-2 flex flex-wrap items-baseline gap-x-3">
      <h2 className="text-base font-semibold">{title}</h2>
      {note !== undefined && <p className="text-xs text-ink-3 tabular">{note}</p>}
    </div>
    {children}
  </section>
)

const listClass = 'overflow-clip rounded-lg border border-line bg-surface shadow-card'

const NoEvents = ({
  mayEdit,
  dirty,
  onTool,
  onAddEvent,
}: {
  mayEdit: boolean
  dirty: boolean
  onTool: (tool: SchemaTool) => void
  onAddEvent: () => void
}) => (
  <EmptyState
    icon={<FileJson />}
    title="No events in the schema yet"
    className="py-10"
    action={
      mayEdit && (
        <>
          <Button
            variant="primary"
            disabled={dirty}
            title={dirty ? unsavedNote : undefined}
            onClick={() => onTool('proposal')}
          >
            <Sparkles aria-hidden />
            Start from your events
          </Button>
          <Button onClick={onAddEvent}>
            <Plus aria-hidden />
            Add event
          </Button>
          <Button disabled={dirty} title={dirty ? unsavedNote : undefined} onClick={() => onTool('import')}>
            <Upload aria-hidden />
            Import
          </Button>
        </>
      )
    }
  >
    Define the track events this source sends and their properties. Every event is checked against the schema, so you
    catch mistakes before they reach a destination.
  </EmptyState>
)

const UserTraits = ({
  draft,
  mayEdit,
  onAdd,
  children,
}: {
  draft: SchemaDraft
  mayEdit: boolean
  onAdd: () => void
  children: ReactNode
}) => (
  <Section title="User traits" note="Checked on every identify call">
    {draft.schema.user === undefined ? (
      <div className="flex flex-wrap items-center gap-3 rounded-lg border border-dashed border-line-strong bg-surface px-4 py-3 text-sm text-ink-2">
        <p className="mr-auto flex items-center gap-2">
          <UserRound aria-hidden className="size-4 shrink-0 text-ink-3" />
          No traits yet. Every identify call counts as new.
        </p>
        {mayEdit && (
          <Button size="sm" onClick={onAdd}>
            <Plus aria-hidden />
            Add user traits
          </Button>
        )}
      </div>
    ) : (
      <ul className={listClass}>{children}</ul>
    )}
  </Section>
)

/** Returns the version of the schema that a URL names. */
const versionOf = (search: string): number | undefined => {
  const text = new URLSearchParams(search).get('version') ?? ''
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined
}

/** The schema that validates a source's events, edited as a draft that is saved as a whole. */
export const SchemaTab = ({ source, draft }: { source: SourceWithSchema; draft: SchemaDraft }) => {
  const mayEdit = useMayEdit() === true
  const location = useLocation()
  const named = versionOf(location.search)
  const [search, setSearch] = useState('')
  const [question, setQuestion] = useState<NameQuestion | undefined>()
  const [tool, setTool] = useState<{ kind: SchemaTool; only?: string | undefined } | undefined>(
    named === undefined ? undefined : { kind: 'history' },
  )
  const { schema, edit } = draft
  const wanted = schemaPlace(schema, new URLSearchParams(location.search).get('at'))
  const { opened, open, toggle } = useOpened(wanted, location.key)
  const save = useSaveSchema(source)
  const [askedFor, setAskedFor] = useState<string | undefined>()
  if (mayEdit && wanted !== undefined && isAdding(location.state) && askedFor !== location.key) {
    setAskedFor(location.key)
    const name = missingName(schema, wanted)
    // For a new event, its properties are better proposed from received events, so the dialog for a name does not open.
    setQuestion(name?.kind === 'addProperty' ? name : undefined)
  }

  const editing = useMemo(
    (): SchemaEditing | undefined => (mayEdit ? { edit, ask: setQuestion } : undefined),
    [mayEdit, edit],
  )
  const shownSearch = useDeferredValue(search)
  const events = useMemo(() => matchingEvents(schema, shownSearch), [schema, shownSearch])
  const changed = new Map(draft.changes.map(({ event, kind }) => [ownerIdOf(event), kind]))
  const saveWhole = async (next: SourceSchema, version: number, origin: SchemaOrigin): Promise<void> => {
    const { schema: saved } = await save.mutateAsync({ schema: next, version, origin })
    draft.settle({ version: saved.version, schema: parseSourceSchema(saved.schema) })
  }
  const saveAs =
    (origin: SchemaOrigin) =>
    (next: SourceSchema): Promise<void> =>
      saveWhole(next, draft.server.version, origin)
  const addEvent = (): void => setQuestion({ kind: 'addEvent' })
  const addUser = (): void => {
    edit((before) => withOwner(before, undefined, before.user ?? emptyObject))
    open(ownerIdOf(undefined))
  }
  const ownerProps = (event: string | undefined, object: ObjectSchema) => {
    const id = ownerIdOf(event)
    const kind = changed.get(id)
    return {
      event,
      object,
      open: opened.has(id),
      onToggle: toggle,
      editing,
      // While the schema is being saved, no field takes the focus: new fields may be shown before the save has ended.
      target: wanted?.owner === id && !save.isPending ? wanted.id : undefined,
      change: kind === 'removed' ? undefined : kind,
    }
  }
  const closeTool = (): void => setTool(undefined)

  const traits = (
    <UserTraits draft={draft} mayEdit={mayEdit} onAdd={addUser}>
      {schema.user !== undefined && <SchemaOwner {...ownerProps(undefined, schema.user)} />}
    </UserTraits>
  )
  return (
    <fieldset disabled={save.isPending} className="min-w-0 space-y-5">
      <legend className="sr-only">Schema</legend>
      <div className="grid gap-x-8 gap-y-4 rounded-lg border border-line bg-surface px-5 py-4 shadow-card lg:grid-cols-2">
        <div>
          <p className="text-sm font-medium">Version {draft.server.version}</p>
          <p className="mt-0.5 text-xs text-ink-2">
            Changed <RelativeTime time={source.schema.update_time} />. Events are checked as they arrive. Earlier events
            keep their result.
          </p>
        </div>
        <EnforcementSetting source={source} mayEdit={mayEdit} />
      </div>
      {draft.theirs !== undefined && <SchemaConflict source={source.name} draft={draft} theirs={draft.theirs} />}
      {wanted !== undefined && !wanted.isKnown && (
        <SchemaMissing
          schema={schema}
          wanted={wanted}
          ask={editing?.ask}
          onAddUser={addUser}
          onPropose={draft.dirty ? undefined : () => setTool({ kind: 'proposal', only: wanted.owner })}
        />
      )}
      <SchemaToolbar
        search={search}
        onSearch={setSearch}
        mayEdit={mayEdit}
        dirty={draft.dirty}
        onTool={(kind) => setTool({ kind })}
        onAddEvent={addEvent}
        onExport={() => saveSchemaFile(schemaFileName(source.title, draft.server.version), schema)}
        onCopy={() =>
          void copyText(formatSourceSchema(schema, 2)).then((done) =>
            done ? notify('success', 'Schema copied') : notify('error', 'Could not copy'),
          )
        }
      />
      {schema.events.size > 0 && traits}
      <Section
        title="Events"
        {...(schema.events.size === 0
          ? {}
          : {
              note:
                events.length === schema.events.size
                  ? `${count(events.length)} ${pluralise(events.length, 'event')}`
                  : `${count(events.length)} of ${count(schema.events.size)} events`,
            })}
      >
        {schema.events.size === 0 ? (
          <NoEvents mayEdit={mayEdit} dirty={draft.dirty} onTool={(kind) => setTool({ kind })} onAddEvent={addEvent} />
        ) : events.length === 0 ? (
          <EmptyState
            title="No events match"
            className="py-8"
            action={<Button onClick={() => setSearch('')}>Clear search</Button>}
          >
            No event or property name contains “{shownSearch.trim()}”.
          </EmptyState>
        ) : (
          <ul aria-label="Events" className={listClass}>
            {events.map(([title, object]) => (
              <SchemaOwner key={title} {...ownerProps(title, object)} />
            ))}
          </ul>
        )}
      </Section>
      {schema.events.size === 0 && traits}
      {draft.dirty && (
        <DraftBar
          of="schema"
          draft={{ words: diffWords(draft.changes), canUndo: draft.canUndo, undo: draft.undo }}
          saving={save.isPending}
          blocked={draft.theirs !== undefined}
          error={tool !== undefined || isSchemaChanged(save.error) ? null : save.error}
          onSave={() => void saveWhole(schema, draft.base.version, 'edited').catch(() => undefined)}
          onDiscard={draft.discard}
        >
          <SchemaReview draft={draft} />
        </DraftBar>
      )}
      {question !== undefined && (
        <SchemaNames
          schema={schema}
          question={question}
          edit={edit}
          onOwner={open}
          onClosed={() => setQuestion(undefined)}
        />
      )}
      {tool?.kind === 'json' && (
        <JsonDialog schema={schema} onSchema={mayEdit ? (next) => edit(() => next) : undefined} onClosed={closeTool} />
      )}
      {tool?.kind === 'import' && (
        <ImportDialog current={draft.server.schema} onSave={saveAs('imported')} onClosed={closeTool} />
      )}
      {tool?.kind === 'proposal' && (
        <ProposalDialog
          source={source.name}
          current={draft.server.schema}
          only={tool.only}
          onSave={saveAs('inferred')}
          onClosed={closeTool}
        />
      )}
      {tool?.kind === 'history' && (
        <HistoryDialog
          source={source.name}
          title={source.title}
          current={draft.server}
          first={named}
          onRestore={mayEdit && !draft.dirty ? saveAs('restored') : undefined}
          onClosed={closeTool}
        />
      )}
    </fieldset>
  )
}
