import type { Migration } from '../migrate.ts'
import { up as baseline, baselineName } from './0200-baseline/baseline.ts'
import { up as parkedProfiles } from './0201-parked-profiles.ts'
import { up as presetVersions } from './0202-preset-versions.ts'
import { up as personDataPlaces } from './0203-person-data-places.ts'
import { up as replayProfile } from './0204-replay-profile.ts'
import { up as profileConsents } from './0205-profile-consents.ts'
import { up as ownConnectors } from './0206-own-connectors.ts'
import { up as warehouseLoads } from './0207-warehouse-loads.ts'

/**
 * Every migration of the relational store. New ones are appended, with their kind. The first is the baseline: processes
 * of earlier versions cannot run together with one of this version.
 */
export const migrations: readonly Migration[] = [
  { name: baselineName, kind: 'contract', oldest: baselineName, up: baseline },
  { name: '0201-parked-profiles', kind: 'expand', up: parkedProfiles },
  { name: '0202-preset-versions', kind: 'expand', up: presetVersions },
  { name: '0203-person-data-places', kind: 'expand', up: personDataPlaces },
  { name: '0204-replay-profile', kind: 'expand', up: replayProfile },
  { name: '0205-profile-consents', kind: 'expand', up: profileConsents },
  { name: '0206-own-connectors', kind: 'expand', up: ownConnectors },
  { name: '0207-warehouse-loads', kind: 'expand', up: warehouseLoads },
]
