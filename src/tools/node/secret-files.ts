/** Names of files that usually hold secrets, as patterns of `nameMatcher`. */
// biome-ignore format: one line per kind of secret
export const secretFiles: readonly string[] = [
  // environments, and files named after their secrets
  '.env', '.env.*', '*.env', '.envrc', '.secrets', '.secrets/*', 'secrets.json', 'secrets.yml', 'secrets.yaml', 'secrets.toml', 'secrets.ini', 'secrets.properties', 'secret.key', 'credentials', 'credentials.json', 'credentials.yml', 'credentials.yaml', 'credentials.toml', 'credentials.ini', '.credentials*', 'auth.json', '.token', 'client_secret*.json',
  // private keys and key stores
  '.ssh/*', 'id_rsa*', 'id_dsa*', 'id_ecdsa*', 'id_ed25519*', 'ssh_host_*_key', '*.ppk',
  '*.pem', '*.key', '*.p8', '*.p12', '*.pfx', '*.pkcs12', '*.jks', '*.jceks', '*.keystore', '*.bcfks', '*.kdb', '*.kdbx', '*.keychain', '*.keychain-db',
  '.gnupg/*', '*.gpg', 'secring.*', '.password-store/*', '*.ovpn', 'wallet.dat',
  // version control and packages
  '.git/*', '.git-credentials', '.gitconfig', '.config/git/*', '.config/gh/*', '.config/hub', '.hgrc', '.svn/*',
  '.npmrc', '.yarnrc', '.yarnrc.yml', '.pypirc', '.cargo/credentials*', '.gem/*', '.m2/settings*.xml', '.gradle/gradle.properties', '.composer/auth.json', '.nuget/*',
  // machines and networks
  '.netrc', '_netrc', '.authinfo', '.htpasswd', '.htdigest', 'shadow', 'gshadow', '.s3cfg', '.boto', 'rclone.conf', '.rclone.conf', '.ftpconfig',
  // databases
  '.pgpass', 'pgpass.conf', '.my.cnf', '.mylogin.cnf', '.mongorc.js', '.dbshell', '.redisclirc',
  // clouds and containers
  '.aws/*', '.azure/*', '.config/gcloud/*', 'application_default_credentials.json', 'service-account*.json', 'service_account*.json', '*firebase-adminsdk*.json', '.oci/*', '.doctl/*',
  '.docker/*', '.dockercfg', '.dockerconfigjson', '.kube/*', 'kubeconfig', '*.kubeconfig', '.helm/*', '.vault-token', '.terraformrc', '*.tfstate', '*.tfstate.*', '*.tfvars', '*.tfvars.json',
  // input histories
  '.*_history', '.lesshst', '.viminfo',
  // this package
  '.agent-machines/*',
];
