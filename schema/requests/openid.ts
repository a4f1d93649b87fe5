import { Type } from 'typebox'
import { signOnSettings } from '../records/company.ts'
import { bool, named, nullable, object, type Of, shortText, text, withExamples } from '../types.ts'

/** Answer of `GET /session/ways`: how users sign in. `openid`: at this provider, too; null: none is configured. */
export const signInWays = named(
  'SignInWays',
  object({
    password: bool,
    openid: nullable(named('SignInProvider', object({ name: { ...text, description: 'Name for people' } }))),
  }),
)
export type SignInWays = Of<typeof signInWays>

/** Answer of `POST /session/openid/start`. */
export const openIdStart = named(
  'OpenIdStart',
  object({ url: { ...text, description: 'Where the browser goes: a page of the provider' } }),
)

const query = Type.String({
  maxLength: 8192,
  description: 'Query of the address with which the provider sent the browser back',
})
const exampleQuery = 'code=SplxlOBeZQQYbYS6WxSbIA&state=af0ifjsldkj'

/** Body of `POST /session/openid`. */
export const openIdReturn = named('OpenIdReturn', withExamples(object({ query }), { query: exampleQuery }))

/** Body of `POST /session/openid/link`. `currentPassword`: users who have a password must give it. */
export const openIdLink = named(
  'OpenIdLink',
  withExamples(object({ query, currentPassword: nullable(shortText) }, ['currentPassword']), {
    query: exampleQuery,
    currentPassword: 'correct horse battery',
  }),
)

/** Body and answer of `/settings/sign-on`. */
export const signOn = named('SignOn', withExamples(signOnSettings, { makesUsers: true, defaultRole: 'operator' }))
