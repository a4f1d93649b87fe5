import { Type } from 'typebox'
import { signOnSettings } from '../records/company.ts'
import { bool, named, nullable, object, type Infer, shortText, text, withExamples } from '../types.ts'

/**
 * Response of `GET /session/ways`: supported ways to sign in. `openid`: the OpenID Connect provider; null if none is
 * configured.
 */
export const signInWays = named(
  'SignInWays',
  object({
    password: bool,
    openid: nullable(named('SignInProvider', object({ name: { ...text, description: 'Display name' } }))),
  }),
)
export type SignInWays = Infer<typeof signInWays>

/** Response of `POST /session/openid/start`. */
export const openIdStart = named(
  'OpenIdStart',
  object({ url: { ...text, description: 'URL of the page of the provider to which the browser must go' } }),
)

const query = Type.String({
  maxLength: 8192,
  description: 'Query of the URL to which the provider redirected the browser',
})
const exampleQuery = 'code=SplxlOBeZQQYbYS6WxSbIA&state=af0ifjsldkj'

/** Body of `POST /session/openid`. */
export const openIdReturn = named('OpenIdReturn', withExamples(object({ query }), { query: exampleQuery }))

/** Body of `POST /session/openid/link`. `currentPassword` is required for users with a password. */
export const openIdLink = named(
  'OpenIdLink',
  withExamples(object({ query, currentPassword: nullable(shortText) }, ['currentPassword']), {
    query: exampleQuery,
    currentPassword: 'correct horse battery',
  }),
)

/** Body and response of `/settings/sign-on`. */
export const signOn = named('SignOn', withExamples(signOnSettings, { makesUsers: true, defaultRole: 'operator' }))
