import { Type } from 'typebox'
import { signOnSettings } from '../records/company.ts'
import * as t from '../types.ts'

/**
 * Response of `GET /session/ways`: supported ways to sign in. `openid`: the OpenID Connect provider; null if none is
 * configured.
 */
export const signInWays = t.named(
  'SignInWays',
  t.object({
    password: t.bool,
    openid: t.nullable(t.named('SignInProvider', t.object({ name: { ...t.text, description: 'Display name' } }))),
  }),
)
export type SignInWays = t.Infer<typeof signInWays>

/** Response of `POST /session/openid/start`. */
export const openIdStart = t.named(
  'OpenIdStart',
  t.object({ url: { ...t.text, description: 'URL of the page of the provider to which the browser must go' } }),
)

const query = Type.String({
  maxLength: 8192,
  description: 'Query of the URL to which the provider redirected the browser',
})
const exampleQuery = 'code=SplxlOBeZQQYbYS6WxSbIA&state=af0ifjsldkj'

/** Body of `POST /session/openid`. */
export const openIdReturn = t.named('OpenIdReturn', t.withExamples(t.object({ query }), { query: exampleQuery }))

/** Body of `POST /session/openid/link`. `currentPassword` is required for users with a password. */
export const openIdLink = t.named(
  'OpenIdLink',
  t.withExamples(t.object({ query, currentPassword: t.nullable(t.shortText) }, ['currentPassword']), {
    query: exampleQuery,
    currentPassword: 'correct horse battery',
  }),
)

/** Body and response of `/settings/sign-on`. */
export const signOn = t.named('SignOn', t.withExamples(signOnSettings, { makesUsers: true, defaultRole: 'operator' }))
