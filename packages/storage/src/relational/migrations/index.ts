import type { Migration } from '../migrate.ts'
import { up as baseline, baselineName } from './0200-baseline/baseline.ts'

/**
 * Every migration of the relational store. New ones come at the end, and say what they are. The first is the baseline: processes of earlier versions do
 * not work beside one of this version.
 */
export const migrations: readonly Migration[] = [
  { name: baselineName, kind: 'contract', oldest: baselineName, up: baseline },
]
