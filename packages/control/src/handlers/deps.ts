import { type Evaluation } from '@tributary/audiences'
import { type BillingDeps } from '@tributary/billing'
import { type DataSourcePlaces } from '@tributary/syncs'
import { type AccessChanged, type ControlDeps } from '../deps.ts'
import { type Images } from '../images/images.ts'
import { type OpenId } from '../openid/openid.ts'
import { type AnswerLogin } from '../sessions/answer-login.ts'
import { type Sessions } from '../sessions/sessions.ts'
import { type LoginThrottling } from '../users/sign-in/login-throttling.ts'
import { type OneTimeCodes } from '../users/sign-in/one-time-codes.ts'
import { type Passwords } from '../users/sign-in/passwords.ts'

/** What the handlers of all methods need. */
export type HandlerDeps = ControlDeps & {
  sessions: Sessions
  passwords: Passwords
  accessChanged: AccessChanged
  /** Makes this process notice a revoked or rotated API key immediately. */
  keysChanged(): void
  codes: OneTimeCodes
  codeThrottling: LoginThrottling
  answerLogin: AnswerLogin
  identityProvider: OpenId | undefined
  images: Images
  evaluation: Evaluation
  dataSourcePlaces: DataSourcePlaces
  peoplePlaces: DataSourcePlaces
  payment: BillingDeps['payment']
}
