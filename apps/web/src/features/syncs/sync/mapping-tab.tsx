import { useQuery } from '@tanstack/react-query'
import { eventObjects, type Model, type Sync } from '@tributary/contract'
import { useState } from 'react'
import { QueryView } from '../../../components/query-view.tsx'
import { ReadOnlyNote } from '../../../components/settings/read-only-note.tsx'
import { failureText } from '../../../lib/api/errors.ts'
import { modelQuery } from '../../../lib/queries/data-source-queries.ts'
import { useMayEdit } from '../../../lib/workspace.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { CardSkeleton } from '../../../ui/page/skeleton.tsx'
import { DryRun } from '../dry-run/dry-run.tsx'
import { eventMappingProblems, suggestedEventRows } from '../event-mapping.ts'
import { MappingFields } from '../mapping-fields.tsx'
import { fieldsOfRows, type MappingProblems, mappingProblems, savedRows } from '../mapping-rows.ts'
import { useUpdateSync } from '../sync-mutations.ts'
import { isOfEvents } from '../sync-words.ts'
import { TestRow } from '../test-row/test-row.tsx'
import { useObjectDetail } from '../use-object-detail.ts'

/** Tests that show what a run with the mapping would do. `changed` are the unsaved fields of the mapping. */
const Trials = ({ sync, model, changed }: { sync: Sync; model: Model; changed: Sync['fields'] | undefined }) => (
  <>
    <Card title="Before it runs">
      <DryRun
        of={{ sync: sync.name, changes: changed === undefined ? {} : { fields: changed } }}
        ofEvents={isOfEvents(sync)}
      />
    </Card>
    <Card title="Test row">
      <TestRow
        of={{
          ...sync,
          model: sync.model.name,
          destination: sync.destination.name,
          fields: changed ?? sync.fields,
        }}
        primaryKey={model.primary_key}
        destination={sync.destination.title}
        ofEvents={isOfEvents(sync)}
      />
    </Card>
  </>
)

const Editor = ({ sync, model }: { sync: Sync; model: Model }) => {
  const mayEdit = useMayEdit() === true
  const update = useUpdateSync(sync)
  const detail = useObjectDetail({
    destination: sync.destination.name,
    object: sync.object,
    objectName: sync.object_name,
  })
  const event = isOfEvents(sync) ? eventObjects.find(({ name }) => name === sync.object) : undefined
  const saved = savedRows(
    model,
    sync.fields,
    event && ((columns: Pick<Model, 'columns'>) => suggestedEventRows(columns, event)),
  )
  const [rows, setRows] = useState<readonly (typeof saved)[number][]>(saved)
  const [problems, setProblems] = useState<MappingProblems | undefined>()
  const identifier = event === undefined ? sync.fields.findIndex(({ target }) => target === sync.identifier) : -1
  const problemsOf = () => (event === undefined ? mappingProblems(rows, identifier) : eventMappingProblems(rows, event))
  const changed = JSON.stringify(fieldsOfRows(rows)) !== JSON.stringify(fieldsOfRows(saved))
  const save = (): void => {
    const found = problemsOf()
    setProblems(found)
    if (found === undefined) update.mutate({ fields: fieldsOfRows(rows) })
  }
  return (
    <div className="max-w-3xl space-y-4">
      <ReadOnlyNote />
      <p className="text-sm text-ink-2">
        Columns of {model.title}, and the fields they go to. A changed mapping marks all rows changed, so the next run{' '}
        {event === undefined
          ? 'sends them again.'
          : sync.mode === 'INSERT_ONLY'
            ? 'skips those that are events already.'
            : 'makes another event of each.'}
      </p>
      <MappingFields
        rows={rows}
        identifier={identifier}
        locked
        disabled={!mayEdit}
        problems={problems}
        known={detail?.fields ?? []}
        onChange={(next) => {
          setRows(next)
          setProblems(undefined)
        }}
        onIdentifier={() => {}}
      />
      {mayEdit && (
        <div className="flex flex-wrap items-center justify-end gap-2">
          {update.isError && <Alert className="mr-auto text-xs">{failureText(update.error)}</Alert>}
          {changed && (
            <Button
              onClick={() => {
                setRows(saved)
                setProblems(undefined)
              }}
            >
              Cancel
            </Button>
          )}
          <Button variant="primary" disabled={!changed} loading={update.isPending} onClick={save}>
            Save
          </Button>
        </div>
      )}
      {mayEdit && problemsOf() === undefined && (
        <Trials sync={sync} model={model} changed={changed ? fieldsOfRows(rows) : undefined} />
      )}
    </div>
  )
}

/** The mapping of the model's columns to the destination's fields. */
export const MappingTab = ({ sync }: { sync: Sync }) => {
  const query = useQuery(modelQuery(sync.model.name))
  return (
    <QueryView query={query} skeleton={<CardSkeleton lines={6} />} errorTitle="Failed to load the model">
      {(model) => <Editor key={`${sync.update_time} ${model.update_time}`} sync={sync} model={model} />}
    </QueryView>
  )
}
