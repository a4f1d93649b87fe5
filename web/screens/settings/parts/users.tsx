import { useState } from 'preact/hooks'
import { type Role, roles } from '../../../../schema/roles.ts'
import { useLoad } from '../../../data/use-load.ts'
import { useViewer } from '../../../data/viewer-context.ts'
import { useLocale } from '../../../texts/locale.ts'
import { Failure } from '../../../ui/notice.tsx'
import type { Draft } from '../fields.tsx'
import { RecordForm } from '../record-form.tsx'
import { RecordList } from '../record-list.tsx'
import { useSettingsTexts } from '../settings-texts.ts'

/** Who may sign in, with which role. */
function Users() {
  const { t, format } = useLocale()
  const words = useSettingsTexts()
  const own = words.users
  const roleOptions = roles.map(value => ({ value, title: t.roles[value] }))
  return (
    <>
      <RecordList
        kind={{
          ...own,
          load: client => client.call('GET /users'),
          items: users => users,
          idOf: ({ id }) => id,
          nameOf: ({ displayName }) => displayName,
          moreOf: ({ email }) => email,
          columns: [
            { title: own.role, cell: ({ role }) => t.roles[role] },
            {
              title: own.signsIn,
              cell: ({ hasPassword, identity }) =>
                [...(hasPassword ? [own.byPassword] : []), ...(identity ? [own.byProvider] : [])].join(', ') || t.none,
            },
            { title: own.since, cell: ({ createdAt }) => format.dateTime(createdAt) },
            {
              title: t.keys.state,
              cell: ({ disabledAt }) => (
                <span class="state" data-on={disabledAt === null}>
                  {disabledAt === null ? t.keys.inUse : t.keys.disabled}
                </span>
              ),
            },
          ],
          fields: (_, user) => [
            { kind: 'text', name: 'displayName', label: words.name, required: true },
            { kind: 'email', name: 'email', label: t.signIn.email, required: true },
            { kind: 'choice', name: 'role', label: own.role, hint: own.roleHint, options: roleOptions },
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
              : [{ kind: 'flag' as const, name: 'disabled', label: t.keys.disabled, hint: own.disabledHint }]),
            ...(user?.identity
              ? [{ kind: 'flag' as const, name: 'unlink', label: own.unlink, hint: own.unlinkHint }]
              : []),
          ],
          draftOf: user => ({
            displayName: user?.displayName ?? '',
            email: user?.email ?? '',
            role: user?.role ?? 'operator',
            password: '',
            disabled: (user?.disabledAt ?? null) !== null,
            unlink: false,
          }),
          async save(client, draft, user) {
            const given = {
              displayName: String(draft['displayName']),
              email: String(draft['email']),
              role: roleOf(draft),
            }
            const password = String(draft['password'])
            if (user === null) return client.call('POST /users', { body: { ...given, password } })
            const { id } = user
            if (draft['unlink'] === true) await client.call('DELETE /users/:id/identity', { params: { id } })
            const body = { ...given, disabled: draft['disabled'] === true, ...(password !== '' && { password }) }
            return client.call('PATCH /users/:id', { params: { id }, body })
          },
          remove: {
            action: words.remove,
            text: own.removeText,
            work: (client, { id }) => client.call('DELETE /users/:id', { params: { id } }),
          },
        }}
      />
      <SignOn />
    </>
  )
}

function roleOf({ role }: Draft): Role {
  return roles.find(each => each === role) ?? 'operator'
}

/** Whether those who sign in at the provider of identities become users. */
function SignOn() {
  const { t } = useLocale()
  const own = useSettingsTexts().users
  const { client } = useViewer()
  const [isSaved, setSaved] = useState(false)
  const { value, error, reload } = useLoad(
    async () => ({
      ways: await client.call('GET /session/ways'),
      rules: await client.call('GET /settings/sign-on'),
    }),
    [client],
  )
  if (error !== null) return <Failure error={error} onRetry={reload} />
  if (!value?.ways.openid) return null
  const { rules } = value
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
        draft={{ makesUsers: rules.makesUsers, defaultRole: rules.defaultRole ?? '' }}
        submit={t.keys.save}
        onSubmit={async draft => {
          const defaultRole = roles.find(role => role === draft['defaultRole']) ?? null
          setSaved(false)
          await client.call('PUT /settings/sign-on', {
            body: { makesUsers: draft['makesUsers'] === true, defaultRole },
          })
          setSaved(true)
        }}
      />
      <p role="status" class="done">
        {isSaved && own.saved}
      </p>
    </section>
  )
}

export { Users as part }
