import type { ActionTarget } from '../definition/definition.ts'
import { isBlank } from './blank.ts'
import { isSent, sentValue } from './sent-value.ts'
import { type MappingPlace } from './sources.ts'

/** A target whose default is a setting of the destination. */
type WithDefault = ActionTarget & { default: NonNullable<ActionTarget['default']> }

/** Maximum characters of a default. */
const longestDefault = 200

/** Returns the text of a setting that has a default; '' if the destination has none. */
export const defaultText = (name: string | undefined, settings: MappingPlace['settings']): string => {
  const value = name === undefined || settings === undefined ? undefined : settings[name]
  const text = typeof value === 'string' ? value.trim() : ''
  return text.length <= longestDefault ? text : ''
}

/** Returns the note of a delivery that sends a default. */
export const defaultNote = (target: string, text: string): string => `${target}: the default ${text} is used`

/** Returns the targets of an action that have a default. */
export const targetsWithDefault = (targets: readonly ActionTarget[]): readonly WithDefault[] =>
  targets.filter((target): target is WithDefault => target.default !== undefined)

/** Whether a default counts: one of the targets that it stands beside is sent. */
export const isWanted = ({ default: { beside } }: WithDefault, isThere: (target: string) => boolean): boolean =>
  beside === undefined || beside.some(isThere)

/** Whether the default of a target is sent, for a target that has no value of its own. */
export const sendsDefault = (
  target: WithDefault,
  settings: MappingPlace['settings'],
  isThere: (target: string) => boolean,
): boolean => {
  const text = defaultText(target.default.setting, settings)
  return text !== '' && isWanted(target, isThere) && isSent(target, text, undefined)
}

/**
 * Returns the defaults for a payload: for each target that has one, whose value is absent, and that no rule of the user
 * keeps out. A wrong value is not replaced.
 */
export const defaultsFor = (
  targets: readonly WithDefault[],
  payload: Readonly<Record<string, unknown>>,
  { settings, isKeptOut }: Pick<MappingPlace, 'settings'> & { isKeptOut: (target: string) => boolean },
): { target: string; text: string; value: unknown }[] =>
  targets.flatMap((target) => {
    const { name } = target
    const isThere = (other: string): boolean => !isBlank(payload[other])
    if (isThere(name) || isKeptOut(name) || !sendsDefault(target, settings, isThere)) return []
    const text = defaultText(target.default.setting, settings)
    const sent = sentValue(target, text, undefined)
    return sent === undefined || 'problem' in sent ? [] : [{ target: name, text, value: sent.value }]
  })
