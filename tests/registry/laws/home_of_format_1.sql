BEGIN TRANSACTION;
CREATE TABLE certificates (
        hash TEXT PRIMARY KEY NOT NULL,
        certificate TEXT NOT NULL
    );
INSERT INTO "certificates" VALUES('6c311cf03adc28e8e5705c1da91f7bffc616800b83d6f5e190b6a87b451bfa8e','{"assumed":[],"budget":150000,"claim":"∀(x : ℤ). squared(x) ≥ 0","core":[],"engine":"z3","evidence":null,"lemmas":[],"meaning":"0ea805d298d6289e28e967790cf91bbb7b4f162bc5e37c576a2c590fced2031e","model":null,"model_witness":null,"obligations":[{"by":"solver","name":"claim","sha256":"f821b5248ff0baf5715bf5f326aae3d3707b8eda2aa27f6fd22344efe32fa6fd","text":"(declare-fun |v:x| () Int)\n(define-fun |d:squared| ((|v:x| Int)) Int (* |v:x| |v:x|))\n(assert (not (>= (|d:squared| |v:x|) 0)))\n(check-sat)\n"}],"part":"","second":[],"solvers":[["z3-solver","5.4.1.0"]],"status":"verified","steps":[],"theory":"define squared(x : ℤ) : ℤ = x * x\n","using":"","version":1,"witness":null}');
INSERT INTO "certificates" VALUES('e0b30f215a1c3a625bea833867494f0e868b410569d1ea7f186b60291047137e','{"assumed":[],"budget":150000,"claim":"∀(x1 : ℤ). squared(x1) = squared(x1)","core":[],"engine":"z3","evidence":null,"lemmas":[],"meaning":"cdece47a1a5f7fe4ab0cdd90b100b4927d04ad2a82d5f15164e1bd07f00810cd","model":null,"model_witness":null,"obligations":[{"by":"solver","name":"claim","sha256":"12f8d07123faaaa4ccf6f4496a072662f7cc35029f64d249a0611011f3e54d1e","text":"(declare-fun |v:x1| () Int)\n(define-fun |d:squared| ((|v:x| Int)) Int (* |v:x| |v:x|))\n(assert (not (= (|d:squared| |v:x1|) (|d:squared| |v:x1|))))\n(check-sat)\n"}],"part":"","second":[],"solvers":[["z3-solver","5.4.1.0"]],"status":"verified","steps":[],"theory":"define squared(x : ℤ) : ℤ = x * x\n","using":"","version":1,"witness":null}');
INSERT INTO "certificates" VALUES('a40bf3dfccfa61fafd188d55e5959247e4fb1da8089b6af8a47610359d52176d','{"assumed":[],"budget":150000,"claim":"∀(x : ℤ). inverse_has_value(x) ⟹ inverse(x) ≤ 100","core":[],"engine":"z3","evidence":null,"lemmas":[],"meaning":"fb170133e384669bc1533c16f4cf9bf22cd20b5a72563ebf4370dd0838b2fad9","model":null,"model_witness":null,"obligations":[{"by":"solver","name":"claim","sha256":"12e25f4c2d6869bb3b21475bb2d963653dbb78396e46b79f6bfd08d9375570be","text":"(declare-fun |v:x| () Int)\n(define-fun |d:inverse_has_value| ((|v:x| Int)) Bool (not (= |v:x| 0)))\n(define-fun |d:inverse| ((|v:x| Int)) Int (ite (> |v:x| 0) (div 100 |v:x|) (div (- 100) (- |v:x|))))\n(define-fun |d:inverse.defined| ((|v:x| Int)) Bool (let ((|v:b| |v:x|)) (not (= |v:b| 0))))\n(assert (not (or (not (|d:inverse_has_value| |v:x|)) (and (|d:inverse.defined| |v:x|) (<= (|d:inverse| |v:x|) 100)))))\n(check-sat)\n"}],"part":"","second":[],"solvers":[["z3-solver","5.4.1.0"]],"status":"verified","steps":[],"theory":"define inverse(x : ℤ) : ℤ = div(100, x)\ndefine inverse_has_value(x : ℤ) : Bool = x ≠ 0\n","using":"","version":1,"witness":null}');
INSERT INTO "certificates" VALUES('4404d338ce18f73314220c8fc3dc6bd7a24537ad6e7de4b446d9a4807cf3dd6b','{"assumed":[],"budget":150000,"claim":"∀(x : ℤ). squared(x) ≥ 0","core":[],"engine":"z3","evidence":null,"lemmas":[],"meaning":"5f8d36bfeba26468b7879b75521759a8b82ef7fae64902ac5faae76de0e92291","model":null,"model_witness":null,"obligations":[{"by":"solver","name":"claim","sha256":"31658b34c9cd5855f0255b01134788da8ec9eae2b426f25aa5e2c6f7568e39f9","text":"(declare-fun |v:x| () Int)\n(define-fun |d:squared| ((|v:x| Int)) Int (+ (* |v:x| |v:x|) 1))\n(assert (not (>= (|d:squared| |v:x|) 0)))\n(check-sat)\n"}],"part":"","second":[],"solvers":[["z3-solver","5.4.1.0"]],"status":"verified","steps":[],"theory":"define squared(x : ℤ) : ℤ = x * x + 1\n","using":"","version":1,"witness":null}');
INSERT INTO "certificates" VALUES('e785bb680d68f0c4a4421070e0348bc1a9a0f42b47b07d07e5c11d742b56692f','{"assumed":[],"budget":150000,"claim":"∀(x1 : ℤ). squared(x1) = squared(x1)","core":[],"engine":"z3","evidence":null,"lemmas":[],"meaning":"8bbad1d759b50d8863b9f5c589671693194f486eb3e97757dd440273acd3ba7d","model":null,"model_witness":null,"obligations":[{"by":"solver","name":"claim","sha256":"617ec0d014bcdea6aed58dd6d364e6f034530b936147e4ddb636aa53de1a8ba8","text":"(declare-fun |v:x1| () Int)\n(define-fun |d:squared| ((|v:x| Int)) Int (+ (* |v:x| |v:x|) 1))\n(assert (not (= (|d:squared| |v:x1|) (|d:squared| |v:x1|))))\n(check-sat)\n"}],"part":"","second":[],"solvers":[["z3-solver","5.4.1.0"]],"status":"verified","steps":[],"theory":"define squared(x : ℤ) : ℤ = x * x + 1\n","using":"","version":1,"witness":null}');
CREATE TABLE content (
        hash TEXT PRIMARY KEY NOT NULL,
        code TEXT NOT NULL
    );
INSERT INTO "content" VALUES('pif1:7e74357f07a577bb7b5ee94b50a880c373fe72d4a8c66389cea55d24d27dd549','{"body":{"mul":[{"var":"x"},{"var":"x"}]},"lam":"x"}');
INSERT INTO "content" VALUES('pif1:fd73a12aa23fff44e0293ddb3e7e06aa0d8ab2a2687e36e17b3285335b16ea8a','{"body":{"div":[100,{"var":"x"}]},"lam":"x"}');
INSERT INTO "content" VALUES('pif1:75a19f3b2dda07f46133243ed8f8c8a9e6c85c17320a5477f9c45923c97c1ef7','{"body":{"add":[{"mul":[{"var":"x"},{"var":"x"}]},1]},"lam":"x"}');
CREATE TABLE events (
        sequence INTEGER PRIMARY KEY,
        name TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('evolve', 'describe', 'rollback', 'forget', 'import')),
        version INTEGER,
        current INTEGER,
        description TEXT,
        moment TEXT NOT NULL
    );
INSERT INTO "events" VALUES(1,'squared','evolve',1,1,'The square','2026-11-22T22:23:38.682Z');
INSERT INTO "events" VALUES(2,'inverse','evolve',1,1,'A hundredth','2026-11-22T22:23:39.185Z');
INSERT INTO "events" VALUES(3,'squared','evolve',2,2,'The square and one','2026-11-22T22:23:39.448Z');
CREATE TABLE examples (
        name TEXT NOT NULL,
        version INTEGER NOT NULL,
        since INTEGER NOT NULL REFERENCES events (sequence),
        examples TEXT NOT NULL,
        PRIMARY KEY (name, version, since),
        FOREIGN KEY (name, version) REFERENCES versions (name, version)
    ) WITHOUT ROWID;
CREATE TABLE heads (
        name TEXT PRIMARY KEY NOT NULL,
        current INTEGER,
        latest INTEGER NOT NULL,
        changed INTEGER NOT NULL REFERENCES events (sequence),
        folded TEXT NOT NULL
    );
INSERT INTO "heads" VALUES('squared',2,2,3,'squared
the square and one');
INSERT INTO "heads" VALUES('inverse',1,1,2,'inverse
a hundredth');
CREATE TABLE laws (
        name TEXT NOT NULL,
        version INTEGER NOT NULL,
        since INTEGER NOT NULL REFERENCES events (sequence),
        laws TEXT NOT NULL,
        PRIMARY KEY (name, version, since),
        FOREIGN KEY (name, version) REFERENCES versions (name, version)
    ) WITHOUT ROWID;
INSERT INTO "laws" VALUES('inverse',1,2,'[{"law":"∀(x : ℤ). inverse(x) ≤ 100","status":"proved","kleis":"∀(x : ℤ). inverse_has_value(x) ⟹ inverse(x) ≤ 100","labels":["where the tools have values"],"engine":"z3","conditions":["define inverse_has_value(x : ℤ) : Bool = x ≠ 0"],"tools":{"inverse@1":"pif1:fd73a12aa23fff44e0293ddb3e7e06aa0d8ab2a2687e36e17b3285335b16ea8a"},"certificate":"a40bf3dfccfa61fafd188d55e5959247e4fb1da8089b6af8a47610359d52176d"}]');
INSERT INTO "laws" VALUES('squared',1,1,'[{"law":"∀(x : ℤ). squared(x) ≥ 0","status":"proved","kleis":"∀(x : ℤ). squared(x) ≥ 0","engine":"z3","tools":{"squared@1":"pif1:7e74357f07a577bb7b5ee94b50a880c373fe72d4a8c66389cea55d24d27dd549"},"certificate":"6c311cf03adc28e8e5705c1da91f7bffc616800b83d6f5e190b6a87b451bfa8e"},{"law":"safe(squared)","status":"proved","kleis":"∀(x1 : ℤ). squared(x1) = squared(x1)","engine":"z3","tools":{"squared@1":"pif1:7e74357f07a577bb7b5ee94b50a880c373fe72d4a8c66389cea55d24d27dd549"},"certificate":"e0b30f215a1c3a625bea833867494f0e868b410569d1ea7f186b60291047137e"}]');
INSERT INTO "laws" VALUES('squared',2,3,'[{"law":"∀(x : ℤ). squared(x) ≥ 0","status":"proved","kleis":"∀(x : ℤ). squared(x) ≥ 0","engine":"z3","tools":{"squared@2":"pif1:75a19f3b2dda07f46133243ed8f8c8a9e6c85c17320a5477f9c45923c97c1ef7"},"certificate":"4404d338ce18f73314220c8fc3dc6bd7a24537ad6e7de4b446d9a4807cf3dd6b"},{"law":"safe(squared)","status":"proved","kleis":"∀(x1 : ℤ). squared(x1) = squared(x1)","engine":"z3","tools":{"squared@2":"pif1:75a19f3b2dda07f46133243ed8f8c8a9e6c85c17320a5477f9c45923c97c1ef7"},"certificate":"e785bb680d68f0c4a4421070e0348bc1a9a0f42b47b07d07e5c11d742b56692f"}]');
CREATE TABLE versions (
        name TEXT NOT NULL,
        version INTEGER NOT NULL CHECK (version > 0),
        hash TEXT REFERENCES content (hash),
        capabilities TEXT NOT NULL,
        created TEXT NOT NULL,
        evolved INTEGER NOT NULL REFERENCES events (sequence),
        forgotten INTEGER REFERENCES events (sequence),
        PRIMARY KEY (name, version),
        CHECK (hash IS NOT NULL OR forgotten IS NOT NULL)
    ) WITHOUT ROWID;
INSERT INTO "versions" VALUES('inverse',1,'pif1:fd73a12aa23fff44e0293ddb3e7e06aa0d8ab2a2687e36e17b3285335b16ea8a','[]','2026-11-22T22:23:39.185Z',2,NULL);
INSERT INTO "versions" VALUES('squared',1,'pif1:7e74357f07a577bb7b5ee94b50a880c373fe72d4a8c66389cea55d24d27dd549','[]','2026-11-22T22:23:38.682Z',1,NULL);
INSERT INTO "versions" VALUES('squared',2,'pif1:75a19f3b2dda07f46133243ed8f8c8a9e6c85c17320a5477f9c45923c97c1ef7','[]','2026-11-22T22:23:39.448Z',3,NULL);
CREATE INDEX events_by_name ON events (name, sequence);
CREATE INDEX events_describing ON events (name, version, sequence) WHERE description IS NOT NULL;
CREATE INDEX versions_by_hash ON versions (hash);
CREATE INDEX versions_to_erase ON versions (forgotten) WHERE forgotten IS NOT NULL AND hash IS NOT NULL;
CREATE INDEX heads_by_change ON heads (changed) WHERE current IS NOT NULL;
COMMIT;PRAGMA application_id = 1346979412;
PRAGMA user_version = 3;
