import { type Handlers } from '@tributary/http'
import { computeAudienceNow } from '../audiences/compute-now.ts'
import { createAudience } from '../audiences/create.ts'
import { deleteAudience } from '../audiences/delete.ts'
import { cancelAudienceFill, disconnectAudienceDestination } from '../audiences/destinations/change-connection.ts'
import { connectAudienceDestination } from '../audiences/destinations/connect.ts'
import { listAudienceDestinations, listAudiencesOfDestination } from '../audiences/destinations/list.ts'
import { resendAudience } from '../audiences/destinations/resend.ts'
import { explainAudience } from '../audiences/explain.ts'
import { getAudience } from '../audiences/get.ts'
import { getAudienceHistory } from '../audiences/get-history.ts'
import { getAudienceStatements } from '../audiences/get-statements.ts'
import { listAudiences } from '../audiences/list.ts'
import { listAudienceChanges } from '../audiences/list-changes.ts'
import { listAudienceMembers } from '../audiences/list-members.ts'
import { changeAudienceList } from '../audiences/lists/change.ts'
import { importAudienceList } from '../audiences/lists/import.ts'
import { removeFromAudienceList } from '../audiences/lists/remove.ts'
import { pauseAudience } from '../audiences/pause.ts'
import { previewAudience } from '../audiences/preview.ts'
import { resumeAudience } from '../audiences/resume.ts'
import { suggestForAudience } from '../audiences/suggest.ts'
import { updateAudience } from '../audiences/update.ts'
import { getAudienceVersion } from '../audiences/versions/get.ts'
import { listAudienceVersions } from '../audiences/versions/list.ts'
import { restoreAudienceVersion } from '../audiences/versions/restore.ts'
import { createComputedTrait } from '../computed-traits/create.ts'
import { deleteComputedTrait } from '../computed-traits/delete.ts'
import { getComputedTrait } from '../computed-traits/get.ts'
import { listComputedTraits } from '../computed-traits/list.ts'
import { previewComputedTrait } from '../computed-traits/preview.ts'
import { updateComputedTrait } from '../computed-traits/update.ts'
import type { HandlerDeps } from './deps.ts'

/** Makes the handlers of the methods about audiences and computed traits. */
export const audienceHandlers = (deps: HandlerDeps): Pick<Handlers, 'computedTraits' | 'audiences'> => ({
  computedTraits: {
    list: listComputedTraits(deps),
    get: getComputedTrait(deps),
    create: createComputedTrait(deps),
    update: updateComputedTrait(deps),
    delete: deleteComputedTrait(deps),
    preview: previewComputedTrait(deps),
  },
  audiences: {
    list: listAudiences(deps),
    get: getAudience(deps),
    create: createAudience(deps),
    update: updateAudience(deps),
    delete: deleteAudience(deps),
    compute: computeAudienceNow(deps),
    preview: previewAudience(deps),
    listMembers: listAudienceMembers(deps),
    listChanges: listAudienceChanges(deps),
    getHistory: getAudienceHistory(deps),
    explain: explainAudience(deps),
    pause: pauseAudience(deps),
    resume: resumeAudience(deps),
    listDestinations: listAudienceDestinations(deps),
    connectDestination: connectAudienceDestination(deps),
    resend: resendAudience(deps),
    cancelFill: cancelAudienceFill(deps),
    disconnectDestination: disconnectAudienceDestination(deps),
    listOfDestination: listAudiencesOfDestination(deps),
    getStatements: getAudienceStatements(deps),
    importList: importAudienceList(deps),
    changeList: changeAudienceList(deps),
    removeFromList: removeFromAudienceList(deps),
    suggest: suggestForAudience(deps),
    listVersions: listAudienceVersions(deps),
    getVersion: getAudienceVersion(deps),
    restoreVersion: restoreAudienceVersion(deps),
  },
})
