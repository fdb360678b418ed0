import type { FieldMapping } from '@tributary/contract'
import { useMemo } from 'react'
import { conditionProblems } from '../../lib/events/condition-words.ts'
import type { EventField } from '../../lib/events/event-fields.ts'
import { ConditionBuilder } from '../condition-builder.tsx'
import { conditionFields } from './mapping-draft.ts'

/** The conditions under which a field is sent. */
export const FieldConditions = ({
  field,
  name,
  fields,
  shows,
  onChange,
}: {
  field: FieldMapping
  name: string
  fields: readonly EventField[]
  /** Whether problems of the conditions are shown. */
  shows: boolean
  onChange: ((edit: (field: FieldMapping) => FieldMapping) => void) | undefined
}) => {
  const { conditions = [], condition_match = 'all' } = field
  const problems = useMemo(() => (shows ? conditionProblems(conditions) : {}), [conditions, shows])
  const offered = useMemo(() => conditionFields(fields), [fields])
  return (
    <div className="space-y-2 rounded-md border border-line bg-canvas p-3">
      <p className="text-sm font-medium">Sent only if</p>
      <ConditionBuilder
        label={`Conditions of ${name}`}
        fields={offered}
        value={{ match: condition_match, conditions }}
        problems={problems}
        disabled={onChange === undefined}
        emptyText="No conditions. The field is always sent."
        onChange={(next) =>
          onChange?.((before) => ({ ...before, conditions: next.conditions, condition_match: next.match }))
        }
      />
    </div>
  )
}
