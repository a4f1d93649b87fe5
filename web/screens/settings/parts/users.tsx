import { roles } from '../../../../schema/roles.ts'
import type { SignOnSettings } from '../../../../schema/records/company.ts'
import type { userInput } from '../../../../schema/requests/user.ts'
import type { Infer } from '../../../../schema/types.ts'
import { useLoad } from '../../../data/use-load.ts'
import { useViewer } from '../../../data/viewer.ts'
import { InUse } from '../../../records/in-use.tsx'
import { RecordForm } from '../../../records/record-form.tsx'
import { RecordList } from '../../../records/record-list.tsx'
import { useLocale } from '../../../texts/locale.ts'
import { Failure } from '../../../ui/notice.tsx'

/** Body of a new user; of an existing one, also what the form changes besides. */
type UserBody = Infer<typeof userInput> & { readonly disabled?: boolean; readonly unlink?: boolean }

/** Users with their roles. */
function Users() {
  const { t, format } = useLocale()
  const words = t.settings
  const own = words.users
  return (
    <>
      <RecordList
        kind={{
          ...own,
          title: words.parts.users,
          load: client => client.call('GET /users'),
          items: users => users,
          nameOf: ({ displayName }) => displayName,
          moreOf: ({ email }) => email,
          columns: () => [
            { title: own.role, cell: ({ role }) => t.roles[role] },
            {
              title: own.signsIn,
              cell: ({ hasPassword, identity }) =>
                [...(hasPassword ? [own.byPassword] : []), ...(identity ? [own.byProvider] : [])].join(', ') || t.none,
            },
            { title: own.since, cell: ({ createdAt }) => format.dateTime(createdAt) },
            { title: t.terms.state, cell: ({ disabledAt }) => <InUse is={disabledAt === null} /> },
          ],
          details: user => ({ ...user, disabled: user.disabledAt !== null }),
          async onSave(client, { disabled = false, unlink, ...body }: UserBody, user) {
            if (user === null) return client.call('POST /users', { body })
            const params = { id: user.id }
            if (unlink) await client.call('DELETE /users/:id/identity', { params })
            return client.call('PATCH /users/:id', { params, body: { ...body, disabled } })
          },
          onRemove: (client, { id }) => client.call('DELETE /users/:id', { params: { id } }),
          fields: (_, user) => [
            { kind: 'text', name: 'displayName', label: t.terms.name, required: true },
            { kind: 'email', name: 'email', label: t.signIn.email, required: true },
            {
              kind: 'choice',
              name: 'role',
              label: own.role,
              hint: own.roleHint,
              initial: 'operator',
              options: roles.map(value => ({ value, title: t.roles[value] })),
            },
            {
              kind: 'password',
              name: 'password',
              label: user === null ? t.signIn.password : t.account.next,
              hint: user === null ? t.setUp.passwordHint : own.passwordHint,
              required: user === null,
              minLength: 12,
            },
            ...(user === null
              ? []
              : [{ kind: 'flag', name: 'disabled', label: t.keys.disabled, hint: own.disabledHint } as const]),
            ...(user?.identity
              ? [{ kind: 'flag', name: 'unlink', label: own.unlink, hint: own.unlinkHint } as const]
              : []),
          ],
        }}
      />
      <SignOn />
    </>
  )
}

/** Settings for persons who sign in at the identity provider for the first time. */
function SignOn() {
  const { t } = useLocale()
  const words = t.settings
  const own = words.users
  const { client } = useViewer()
  const { value, error, reload } = useLoad(
    async () => ({ ways: await client.call('GET /session/ways'), rules: await client.call('GET /settings/sign-on') }),
    [client],
  )
  if (error !== null) return <Failure error={error} onRetry={reload} />
  if (!value?.ways.openid) return null
  return (
    <section class="card">
      <h3>{own.signOnTitle(value.ways.openid.name)}</h3>
      <RecordForm
        fields={[
          { kind: 'flag', name: 'makesUsers', label: own.makesUsers, hint: own.makesUsersHint },
          {
            kind: 'choice',
            name: 'defaultRole',
            label: own.defaultRole,
            hint: own.defaultRoleHint,
            options: [{ value: '', title: own.noRole }, ...roles.map(role => ({ value: role, title: t.roles[role] }))],
          },
        ]}
        record={value.rules}
        submit={t.keys.save}
        saved={words.saved}
        onSubmit={async ({ makesUsers, defaultRole = null }: Partial<SignOnSettings>) => {
          await client.call('PUT /settings/sign-on', { body: { makesUsers: makesUsers === true, defaultRole } })
        }}
      />
    </section>
  )
}

export { Users as screen }
