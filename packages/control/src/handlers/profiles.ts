import { type Handlers } from '@tributary/http'
import { createPrivacyRequest } from '@tributary/privacy'
import { listProfileAudiences } from '../audiences/list-by-profile.ts'
import { getIdentitySettings } from '../identity-settings/get.ts'
import { updateIdentitySettings } from '../identity-settings/update.ts'
import { countPersonData } from '../person-data-places/count.ts'
import { getPersonDataPlaces } from '../person-data-places/get.ts'
import { updatePersonDataPlaces } from '../person-data-places/update.ts'
import { getPrivacyRequest } from '../privacy-requests/get.ts'
import { listPrivacyRequests } from '../privacy-requests/list.ts'
import { getProfileExport } from '../profile-exports/get.ts'
import { createProfileKey } from '../profile-keys/create.ts'
import { deleteProfileKey } from '../profile-keys/delete.ts'
import { listProfileKeys } from '../profile-keys/list.ts'
import { rotateProfileKey } from '../profile-keys/rotate.ts'
import { updateProfileKey } from '../profile-keys/update.ts'
import { getProfile } from '../profiles/get.ts'
import { getProfileCoverage } from '../profiles/get-coverage.ts'
import { getTraitHistory } from '../profiles/get-trait-history.ts'
import { listProfiles } from '../profiles/list.ts'
import { listProfileEvents } from '../profiles/list-events.ts'
import { splitProfile } from '../profiles/split.ts'
import { deleteSuppression } from '../suppressions/delete.ts'
import { listSuppressions } from '../suppressions/list.ts'
import type { HandlerDeps } from './deps.ts'

/** Makes the handlers of the methods about profiles. */
export const profileHandlers = (
  deps: HandlerDeps,
): Pick<
  Handlers,
  | 'identitySettings'
  | 'personDataPlaces'
  | 'profileKeys'
  | 'profiles'
  | 'privacyRequests'
  | 'profileExports'
  | 'suppressions'
> => ({
  identitySettings: { get: getIdentitySettings(deps), update: updateIdentitySettings(deps) },
  personDataPlaces: {
    get: getPersonDataPlaces(deps),
    update: updatePersonDataPlaces(deps),
    count: countPersonData(deps),
  },
  profileKeys: {
    list: listProfileKeys(deps),
    create: createProfileKey(deps),
    update: updateProfileKey(deps),
    rotate: rotateProfileKey(deps),
    delete: deleteProfileKey(deps),
  },
  profiles: {
    getCoverage: getProfileCoverage(deps),
    getTraitHistory: getTraitHistory(deps),
    list: listProfiles(deps),
    get: getProfile(deps),
    listEvents: listProfileEvents(deps),
    listAudiences: listProfileAudiences(deps),
    split: splitProfile(deps),
  },
  privacyRequests: {
    create: createPrivacyRequest(deps),
    list: listPrivacyRequests(deps),
    get: getPrivacyRequest(deps),
  },
  profileExports: { get: getProfileExport(deps) },
  suppressions: { list: listSuppressions(deps), delete: deleteSuppression(deps) },
})
